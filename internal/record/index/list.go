package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Entry is one record of a store, as a list shows it. If the record is damaged, Damage says how,
// and only Name, Path and Created (the mtime of its directory) are set.
type Entry struct {
	Name     string    `json:"name"` // of the directory
	Path     string    `json:"path"`
	Question string    `json:"question"`
	Engine   string    `json:"engine"`
	State    State     `json:"state"`
	Planned  int       `json:"planned_runs"`
	Counts   Counts    `json:"counts"`
	Created  time.Time `json:"created"`
	Finished time.Time `json:"finished,omitzero"`
	// Words holds the outcomes of the verdicts that are due on workloads, without duplicates.
	Words  []Outcome `json:"words,omitempty"`
	Damage string    `json:"damage,omitempty"`
	Later  bool      `json:"later,omitempty"` // the only damage is that a later version of plinth wrote it

	// Plan and Verdicts are the record's own, from which a summary sentence can be composed. They
	// are shared with later lists and must not be modified.
	Plan     *Plan     `json:"-"`
	Verdicts []Verdict `json:"-"`
	// Durability maps environments to the results of fault injection; shared, too.
	Durability map[string]Durability `json:"-"`
}

// List returns the records in store, newest first. It reads only record.json, and in that file
// only the fields of an Entry, so it misses some damage that Open finds. A directory without
// record.json is not a record. A store that does not exist is empty.
func List(store string) ([]Entry, error) { return NewIndex(store).List() }

func isRecord(path string) bool {
	_, err := os.Lstat(filepath.Join(path, summaryFile))
	return err == nil
}

// readEntry reads the entry of the record at path, with its state as written there.
func readEntry(path string) Entry {
	e := Entry{Name: filepath.Base(path), Path: path}
	err := e.read()
	if err == nil {
		e.Words = words(e.Verdicts)
		return e
	}
	damaged := Entry{Name: e.Name, Path: path, Damage: err.Error(), Later: errors.As(err, new(*LaterError))}
	if damaged.Later && !e.Created.IsZero() {
		damaged.Created = e.Created
	} else if info, err := os.Stat(path); err == nil {
		damaged.Created = info.ModTime()
	}
	e = damaged
	return e
}

func (e *Entry) read() error {
	root, err := os.OpenRoot(e.Path)
	if err != nil {
		return bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Open checks the whole directory; for 5,000 records that costs too much.
	if info, err := root.Lstat(summaryFile); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return damaged(summaryFile, errOddFile)
	}
	data, err := readFile(root, summaryFile, maxSummaryFile)
	if err != nil {
		return err
	}
	if _, err = weigh(data); err == nil {
		err = e.decode(data)
	}
	if err != nil {
		return damaged(summaryFile, err)
	}
	clip(&e.Question)
	return checkState(e.State)
}

// decode reads the fields of an entry from record.json and skips the rest, which is most of it:
// this takes a fifth of the time of decoding everything.
func (e *Entry) decode(data []byte) error {
	var schema string
	err := decodeFields(data, map[string]any{
		"schema": &schema, "question": &e.Question, "engine": &e.Engine, "state": &e.State,
		"planned_runs": &e.Planned, "counts": &e.Counts, "created": &e.Created, "finished": &e.Finished,
		"plan": &e.Plan, "verdicts": &e.Verdicts, "durability": &e.Durability,
	})
	if schema != "" && schema != SummarySchema || err == nil && schema == "" {
		return wrongSchema(schema, SummarySchema) // the rest of a later schema may not fit
	}
	return err
}

func words(verdicts []Verdict) []Outcome {
	var words []Outcome
	for _, v := range verdicts {
		if v.Asked && v.Cell == nil && v.Clients == 0 && v.Outcome != "" && !slices.Contains(words, v.Outcome) {
			words = append(words, v.Outcome)
		}
	}
	return words
}
