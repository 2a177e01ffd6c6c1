package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
)

// Write writes data to a new file and syncs it. It does not sync the directory entry.
func Write(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// Replace replaces a file in a directory atomically: after a crash it has either the old content or the new.
func Replace(root *os.Root, name string, data []byte) error {
	temporary := name + ".tmp" // a fixed name: the next write removes what a crash left
	if err := root.RemoveAll(temporary); err != nil {
		return err
	}
	if err := Write(root, temporary, data); err != nil {
		return err
	}
	if err := root.Rename(temporary, name); err != nil {
		return err
	}
	return Sync(root, path.Dir(name))
}

// Marshal returns a value as the indented JSON of a file.
func Marshal(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// MakeDir is like MkdirAll but syncs each new entry.
func MakeDir(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	parent := path.Dir(name)
	if err := MakeDir(root, parent); err != nil {
		return err
	}
	err := root.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return Sync(root, parent)
}

// Sync syncs a file, or the entries of a directory.
func Sync(root *os.Root, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// SyncTree syncs everything below dir. It removes anything that is neither a file nor a directory
// (a FIFO that a driver read from): a record contains none.
func SyncTree(root *os.Root, dir string) error {
	return fs.WalkDir(root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() || entry.Type().IsRegular():
			return Sync(root, name)
		}
		return root.Remove(name)
	})
}
