package decode

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// scripts replaces the script files of workloads by their content, so that the experiment is
// self-contained, and sets the names of scripts without a name.
func (d *decoder) scripts(e *experiment.Experiment, dir string) {
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if d.Broken[w] {
			continue
		}
		for j := range w.Scripts {
			s := &w.Scripts[j]
			if d.engine == experiment.EngineRedis {
				d.oneOf(s, "builtin", s.Builtin)
			} else {
				d.oneOf(s, "builtin, file or sql", s.Builtin, s.File, s.SQL)
			}
			if s.Name == "" {
				s.Name = scriptName(*s, j+1)
			}
			d.readInto(&s.File, &s.SQL, dir)
		}
		if w.Init != (experiment.Init{}) {
			d.oneOf(&w.Init, "file or sql", w.Init.File, w.Init.SQL)
			d.readInto(&w.Init.File, &w.Init.SQL, dir)
		}
	}
}

// oneOf checks that exactly one of some values is given.
func (d *decoder) oneOf(of any, names string, values ...string) {
	given := 0
	for _, v := range values {
		if v != "" {
			given++
		}
	}
	switch {
	case given == 0:
		d.Add(d.Places[of], "", "a script needs exactly one of %s", names)
	case given > 1:
		d.Add(d.Places[of], "leave out all but one", "a script needs exactly one of %s, not %d of them", names, given)
	}
}

// scriptName returns the default name of a script: from its built-in script or file, or its number.
func scriptName(s experiment.Script, number int) string {
	name := s.Builtin
	if s.File != "" {
		name = experiment.AsName(stem(s.File))
	}
	if name == "" {
		name = fmt.Sprintf("script-%d", number)
	}
	return name
}

// stem returns the name of a file without directory and extension.
func stem(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readInto replaces a file name by the file's content, in sql.
func (d *decoder) readInto(file, sql *string, dir string) {
	if *file == "" || *sql != "" {
		return
	}
	text, err := readScript(dir, *file)
	if err != nil {
		hint := ""
		if strings.ContainsAny(*file, " ;") {
			hint = "write SQL as {sql: ...}; plain text is the name of a file"
		}
		d.Add(d.Places[file], hint, "cannot read %s: %v", strictyaml.Bare(*file), err)
	}
	*file, *sql = "", text
}

// readScript reads a script of at most 1 MiB. If dir is empty, as for an experiment from a record, it
// reads no file, because the experiment may be untrusted.
func readScript(dir, name string) (string, error) {
	if dir == "" {
		return "", errors.New("this experiment has no directory to read files from")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() { // a FIFO could block forever
		return "", errors.New("not a regular file")
	}
	data, err := readAtMost(name, maxFile)
	switch {
	case err != nil:
		return "", err
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", errors.New("not UTF-8 text")
	case strings.TrimSpace(string(data)) == "":
		return "", errors.New("the file is empty")
	}
	return string(data), nil
}

func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return data, cause(err)
}

// cause returns the system's error without the path, which the message already contains.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
