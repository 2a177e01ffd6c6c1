package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/record"
)

// writeReport writes a file whole or not at all: what was there before stays until
// the new one is complete, and keeps its mode. A device or a pipe takes what is
// written to it: to put a file in its place would take /dev/null from the machine. A
// link stays, and what it leads to is written.
func writeReport(path string, content []byte) error {
	if err := writeWhole(path, content); err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // it names a file that only plinth knows of
		}
		err = fmt.Errorf("cannot write the report %s: %w", path, err)
		return hint.Wrap(err, "name another file with -o, or - for standard output")
	}
	return nil
}

func writeWhole(path string, content []byte) error {
	mode := fs.FileMode(0o666) // less what the umask takes
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	default:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	return replace(path, content, mode)
}

// replace puts a file in the place of another.
func replace(path string, content []byte, mode fs.FileMode) error {
	beside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".plinth-report-%d", os.Getpid()))
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside) // it is nobody's
	}
	return err
}

// leaveReports writes report.html and report.md into a record as its experiment
// ends. The record is whole without them, so that one could not be written is said
// and no more.
func (a *app) leaveReports(rec *record.Record, quiet bool) {
	var written []string
	for _, format := range []string{"html", "markdown"} {
		path := filepath.Join(rec.Path, reportFormats[format])
		content, err := reportOf(rec, reportFlags{format: format})
		if err == nil {
			err = writeReport(path, content)
		}
		if err != nil {
			fmt.Fprintln(a.stderr, "warning: "+strings.TrimSpace(err.Error()))
			continue
		}
		written = append(written, reportFormats[format])
	}
	if len(written) > 0 && !quiet {
		fmt.Fprintf(a.stderr, "\nreport: %s\n", filepath.Join(rec.Path, strings.Join(written, " and ")))
	}
}

// dropReports removes the reports of a record that is going to be completed: they
// would say that it is not, if the new ones could not be written.
func dropReports(rec *record.Record) {
	for _, name := range reportFormats {
		if name != "" {
			_ = os.Remove(filepath.Join(rec.Path, name)) // there may be none
		}
	}
}
