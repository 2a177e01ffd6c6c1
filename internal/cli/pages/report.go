// Package pages writes and serves the pages of records.
package pages

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/runpage"
)

// Options select a report.
type Options struct {
	Output string
	Format string
	Figure string
	Run    string
	Choose []string
}

// Files maps the formats of a report to the names of their files in a record.
var Files = map[string]string{"html": "report.html", "markdown": "report.md", "svg": ""}

// runFigures lists the figures of a single run.
var runFigures = []string{"timeline", "heatmap"}

// Check refuses flags that conflict.
func (f Options) Check() error {
	_, known := Files[f.Format]
	ofRun := slices.Contains(runFigures, f.Figure)
	switch {
	case !known:
		return hint.Errorf("it can be html, markdown or svg", "--format: unknown value %q", f.Format)
	case f.Format == "svg" && f.Figure == "":
		return hint.Errorf("add --figure verdicts; plinth report --help lists all figures", "--format svg requires --figure")
	case f.Format != "svg" && f.Figure != "":
		return hint.Errorf("add --format svg", "--figure requires --format svg")
	case ofRun && f.Run == "":
		return hint.Errorf("add --run latest, best, worst, or the path of a run", "--figure %s requires --run", f.Figure)
	case f.Run != "" && !ofRun:
		return hint.Errorf("add --figure timeline or heatmap", "--run requires a figure of one run")
	case len(f.Choose) > 0 && f.Figure == "":
		return hint.Errorf("add --format svg --figure NAME", "--choose requires --figure")
	}
	return nil
}

// Report renders the report that the flags select.
func Report(rec *record.Record, flags Options) ([]byte, error) {
	switch {
	case flags.Format == "html":
		p, err := page.New(rec)
		if err != nil {
			return nil, err
		}
		return p.HTML()
	case slices.Contains(runFigures, flags.Figure):
		run, err := runpage.Find(rec, flags.Run)
		if err != nil {
			return nil, err
		}
		return page.RunSVG(rec, run, flags.Figure)
	}
	full, err := report.NewFull(rec, report.FullOptions{Brief: true})
	if err != nil {
		return nil, err
	}
	if flags.Format == "markdown" {
		return []byte(full.Markdown()), nil
	}
	// Figures that the brief report omits are available, too.
	if full, err = report.NewFull(rec, report.FullOptions{}); err != nil {
		return nil, err
	}
	svg, err := full.FigureSVG(flags.Figure, flags.Choose)
	return []byte(svg), err
}

// Write writes a file completely or not at all: an existing file stays until the new one is
// complete, and keeps its mode. It writes into a device or a pipe directly: replacing /dev/null
// by a file would break the machine. It follows a symbolic link, which stays.
func Write(path string, content []byte) error {
	if err := writeWhole(path, content); err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // its path names a temporary file
		}
		err = fmt.Errorf("cannot write the report %s: %w", path, err)
		return hint.Wrap(err, "name another file with -o, or - for standard output")
	}
	return nil
}

func writeWhole(path string, content []byte) error {
	mode := fs.FileMode(0o666) // minus the umask
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
	return Replace(path, content, mode)
}

// Replace writes a file under a temporary name and renames it to path.
func Replace(path string, content []byte, mode fs.FileMode) error {
	beside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".plinth-report-%d", os.Getpid()))
	// An existing one was left by a killed plinth, or is a link that another user of the directory made: O_EXCL follows none.
	_ = os.Remove(beside)
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
		_ = os.Remove(beside) // it is incomplete
	}
	return err
}

// LeaveReports writes report.html and report.md into a record when its experiment ends. The
// record is complete without them, so a failure is only a warning.
func LeaveReports(out io.Writer, rec *record.Record, quiet bool) {
	var written []string
	for _, format := range []string{"html", "markdown"} {
		path := filepath.Join(rec.Path, Files[format])
		content, err := Report(rec, Options{Format: format})
		if err == nil {
			err = Write(path, content)
		}
		if err != nil {
			fmt.Fprintln(out, "warning: "+strings.TrimSpace(err.Error()))
			continue
		}
		written = append(written, Files[format])
	}
	if len(written) > 0 && !quiet {
		fmt.Fprintf(out, "\nreport: %s\n", filepath.Join(rec.Path, strings.Join(written, " and ")))
	}
}

// DropReports removes the reports of a record that is about to be completed: if the new ones
// could not be written, they would be out of date.
func DropReports(rec *record.Record) {
	for _, name := range Files {
		if name != "" {
			_ = os.Remove(filepath.Join(rec.Path, name)) // it may not exist
		}
	}
}
