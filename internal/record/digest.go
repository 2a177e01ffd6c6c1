package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"plinth/internal/record/files"
)

// DigestCommand is the shell command that computes a record's digest, run in the record's
// directory.
const DigestCommand = `find experiment.yaml import.json machine.json environments runs -type f \( -name '*.json' -o -name '*.yaml' \) -not -path '*/raw/*' 2>/dev/null | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum`

// Digest returns the fingerprint of a record: the SHA-256 of sha256sum's output for the files
// that never change once written, in order: the experiment, the machine, what was imported, the environments and
// each run.json. Points, histogram logs and raw output are excluded: reading them would take as
// long as copying the record.
func Digest(path string) (string, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return "", files.Bare(err)
	}
	defer root.Close()
	names, err := digested(root)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(names))
	err = files.Each(len(names), func(i int) error {
		limit := int64(maxRunFile)
		if names[i] == importFile {
			limit = maxImportFile
		}
		data, err := files.Read(root, names[i], limit)
		lines[i] = fmt.Sprintf("%x  %s\n", sha256.Sum256(data), names[i])
		return err
	})
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, line := range lines {
		_, _ = all.Write([]byte(line)) // a hash never fails
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// digested returns the names of the files that the digest covers, in byte order.
func digested(root *os.Root) ([]string, error) {
	var names []string
	for _, name := range []string{experimentFile, importFile, machineFile} {
		if _, err := root.Lstat(name); err == nil {
			names = append(names, name)
		}
	}
	for _, dir := range []string{environmentsDir, runsDir} {
		if _, err := root.Lstat(dir); err != nil {
			continue
		}
		err := fs.WalkDir(root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				if entry != nil && entry.IsDir() && entry.Name() == rawDir {
					return fs.SkipDir
				}
				return err
			}
			if wanted(name) {
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, files.Bare(err)
		}
	}
	slices.Sort(names)
	return names, nil
}

// wanted reports whether a file has one of the extensions that DigestCommand finds.
func wanted(name string) bool {
	const json, yaml = ".json", ".yaml"
	return len(name) > len(json) && (name[len(name)-len(json):] == json || name[len(name)-len(yaml):] == yaml)
}
