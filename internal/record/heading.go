package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/record/files"
)

// Heading holds the fields of record.json that a list shows. Reading them alone takes a fifth of the
// time of decoding the whole file.
type Heading struct {
	Question string    `json:"question"`
	Engine   string    `json:"engine"`
	State    State     `json:"state"`
	Planned  int       `json:"planned_runs"`
	Counts   Counts    `json:"counts"`
	Created  time.Time `json:"created"`
	Finished time.Time `json:"finished,omitzero"`

	// From Plan and Verdicts a summary sentence can be composed.
	Plan     *Plan     `json:"-"`
	Verdicts []Verdict `json:"-"`
	// Durability maps environments to the results of fault injection.
	Durability map[string]Durability `json:"-"`
}

// Stat describes the record.json in a directory. The error is fs.ErrNotExist if the directory is not
// a record.
func Stat(path string) (fs.FileInfo, error) { return os.Lstat(filepath.Join(path, summaryFile)) }

// ReadHeading reads the heading of the record at path, with its state as written there. It misses some
// damage that Open finds. With a files.LaterError it returns what it could read.
func ReadHeading(path string) (Heading, error) {
	var h Heading
	root, err := os.OpenRoot(path)
	if err != nil {
		return h, files.Bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Open checks the whole directory; for 5,000 records that costs too much.
	if info, err := root.Lstat(summaryFile); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return h, files.Damaged(summaryFile, files.ErrOdd)
	}
	data, err := files.Read(root, summaryFile, maxSummaryFile)
	if err != nil {
		return h, err
	}
	if _, err = files.Weigh(data); err == nil {
		err = h.decode(data)
	}
	if err != nil {
		return h, files.Damaged(summaryFile, err)
	}
	clip(&h.Question)
	return h, checkState(h.State)
}

// decode reads the fields of a heading from record.json and skips the rest, which is most of it.
func (h *Heading) decode(data []byte) error {
	var schema string
	err := files.Fields(data, map[string]any{
		"schema": &schema, "question": &h.Question, "engine": &h.Engine, "state": &h.State,
		"planned_runs": &h.Planned, "counts": &h.Counts, "created": &h.Created, "finished": &h.Finished,
		"plan": &h.Plan, "verdicts": &h.Verdicts, "durability": &h.Durability,
	})
	if schema != "" && schema != SummarySchema || err == nil && schema == "" {
		return files.WrongSchema(schema, SummarySchema) // the rest of a later schema may not fit
	}
	return err
}
