package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"syscall"

	"plinth/internal/hint"
)

// Limits on the size of files that are read, in bytes, far above what plinth writes.
const (
	maxSummaryFile     = 64 << 20
	maxExperimentFile  = 8 << 20
	maxEnvironmentFile = 8 << 20
	maxMachineFile     = 8 << 20
	maxImportFile      = 64 << 20
	maxRunFile         = 8 << 20
	maxNowFile         = 64 << 10
	maxLiveFile        = 256 << 20
	maxEntries         = 100_000 // of one directory, and runs in total
)

var errOddFile = errors.New("neither a file nor a directory")

// readDir lists a directory of a record. An entry that is neither a file nor a directory, such as
// a symlink, is an error: plinth writes none.
func readDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, damaged(name, bare(err))
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, damaged(name, bare(err))
	}
	if len(entries) > maxEntries {
		return nil, damaged(name, errors.New("too many entries"))
	}
	for _, entry := range entries {
		if !entry.IsDir() && !entry.Type().IsRegular() {
			return nil, damaged(join(name, entry.Name()), errOddFile)
		}
	}
	return entries, nil
}

// readFile reads a file whose directory readDir has checked.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	// Non-blocking, because opening a FIFO placed there since would hang.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, damaged(name, bare(err))
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, damaged(name, bare(err))
	case !info.Mode().IsRegular():
		return nil, damaged(name, errors.New("not a regular file"))
	case info.Size() > limit:
		return nil, damaged(name, fmt.Errorf("too large: %d bytes, more than plinth ever writes", info.Size()))
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, damaged(name, err)
	}
	return data, nil
}

// readJSON reads a JSON file within limits. It adds the file's weight to total, unless that is nil.
func readJSON(root *os.Root, name string, limit int64, schema string, into any, total *load) error {
	data, err := readFile(root, name, limit)
	if err != nil {
		return err
	}
	w, err := weigh(data)
	if err == nil && total != nil {
		err = total.add(w)
	}
	if err != nil {
		return damaged(name, err)
	}
	if err := decode(data, schema, into); err != nil {
		return damaged(name, err)
	}
	return nil
}

// decode parses JSON of one schema into a struct with the field Schema. It ignores unknown fields, because a later plinth may add
// fields without changing existing ones.
func decode(data []byte, schema string, into any) error {
	err := json.Unmarshal(data, into)
	found := reflect.ValueOf(into).Elem().FieldByName("Schema").String()
	if err != nil {
		// Only the schema, since the rest of a later one may not fit.
		var only struct {
			Schema string `json:"schema"`
		}
		if json.Unmarshal(data, &only) != nil {
			return err
		}
		found = only.Schema
	}
	if found != schema {
		return wrongSchema(found, schema)
	}
	return err
}

// LaterError is the error for a file that a later version of plinth wrote. The file is
// not damaged.
type LaterError struct {
	Schema string // of the file
	Reads  string // the schema that this plinth reads
}

func (e *LaterError) Error() string {
	return fmt.Sprintf("it was written by a newer version of plinth (%.80q; this one reads %q)", e.Schema, e.Reads)
}

func wrongSchema(found, want string) error {
	family := want[:strings.LastIndex(want, "/v")+2]
	if version, mine := strings.TrimPrefix(found, family), strings.TrimPrefix(want, family); version != found && later(version, mine) {
		return hint.Wrap(&LaterError{found, want}, "install the newest version of plinth")
	}
	return fmt.Errorf("its schema is %q, not %q", found, want)
}

// later reports whether a version of a schema, a number, is greater than another.
func later(version, than string) bool {
	a, err := strconv.ParseUint(version, 10, 32)
	b, err2 := strconv.ParseUint(than, 10, 32)
	return errors.Join(err, err2) == nil && a > b
}

func damaged(name string, err error) error {
	if name == "." {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// bare strips operation and path from err: the message names the file itself.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
