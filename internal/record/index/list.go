// Package index lists the records of a store, the directory in which records are kept, and finds
// one by its name.
package index

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"plinth/internal/record"
	"plinth/internal/record/files"
)

// Entry is one record of a store, as a list shows it. If the record is damaged, Damage says how,
// and only Name, Path and Created (the mtime of its directory) are set. What its Heading points to is
// shared with later lists and must not be modified.
type Entry struct {
	Name string `json:"name"` // of the directory
	Path string `json:"path"`
	record.Heading
	// Words holds the outcomes of the verdicts that are due on workloads, without duplicates.
	Words  []record.Outcome `json:"words,omitempty"`
	Damage string           `json:"damage,omitempty"`
	Later  bool             `json:"later,omitempty"` // the only damage is that a later version of plinth wrote it
}

// List returns the records in store, newest first. It reads only their headings, so it misses some
// damage that Open finds. A directory without record.json is not a record. A store that does not
// exist is empty.
func List(store string) ([]Entry, error) { return New(store).List() }

func isRecord(path string) bool {
	_, err := record.Stat(path)
	return err == nil
}

// readEntry reads the entry of the record at path, with its state as written there.
func readEntry(path string) Entry {
	h, err := record.ReadHeading(path)
	if err == nil {
		return Entry{Name: filepath.Base(path), Path: path, Heading: h, Words: words(h.Verdicts)}
	}
	damaged := Entry{Name: filepath.Base(path), Path: path, Damage: err.Error(), Later: errors.As(err, new(*files.LaterError))}
	if damaged.Later && !h.Created.IsZero() {
		damaged.Created = h.Created
	} else if info, err := os.Stat(path); err == nil {
		damaged.Created = info.ModTime()
	}
	return damaged
}

func words(verdicts []record.Verdict) []record.Outcome {
	var words []record.Outcome
	for _, v := range verdicts {
		if v.Asked && v.Cell == nil && v.Clients == 0 && v.Outcome != "" && !slices.Contains(words, v.Outcome) {
			words = append(words, v.Outcome)
		}
	}
	return words
}
