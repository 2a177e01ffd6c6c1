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

// scripts reads the files that workloads name and puts them in their place, so
// that the experiment stands alone, and names the scripts that have no name.
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

// oneOf notes that not exactly one of some values is given.
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

// scriptName names a script after what it is, or by its number.
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

// stem is the name of a file without directory and extension.
func stem(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readInto moves what a file holds into sql.
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

// readScript reads a script of at most 1 MiB. Without a directory, as for an
// experiment out of a record, no file is read: it may come from a stranger.
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
	if !info.Mode().IsRegular() { // a FIFO would never end
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

// cause is what the system said, without the path, which stands beside it.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
