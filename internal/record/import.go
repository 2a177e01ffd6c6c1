package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"plinth/internal/record/files"
)

// ImportSchema is the schema of import.json.
const ImportSchema = "plinth/import/v1"

// BasisImported is the basis of environments whose numbers plinth read from the output of other
// people's tools, and their Kind.
const BasisImported = "imported"

// Import is the content of import.json: where the numbers of an imported record come from.
type Import struct {
	Schema string         `json:"schema"`
	Order  Order          `json:"order"`
	Files  []ImportedFile `json:"files"`
	Facts  []ImportedFact `json:"facts,omitempty"`
	// Notes point out what contradicts itself, and what could not be used.
	Notes []Note `json:"notes,omitempty"`
}

// Order says what is known about the order of imported runs. Only where environments alternated can
// a difference between them be distinguished from drift of the machine.
type Order string

// The orders.
const (
	OrderUnknown   Order = "unknown"   // the files do not say when their runs began
	OrderApart     Order = "apart"     // all runs of one environment, then those of another
	OrderMixed     Order = "mixed"     // neither
	OrderAlternate Order = "alternate" // the environments alternated
)

// ImportedFile is one file that was read.
type ImportedFile struct {
	Name        string            `json:"name"` // as given, or relative to the directory that was given
	Environment string            `json:"environment,omitempty"`
	Bytes       int64             `json:"bytes"`
	Lines       int               `json:"lines"`
	Sections    []ImportedSection `json:"sections,omitempty"`
	Unread      []UnreadLine      `json:"unread,omitempty"` // lines that were not understood; the first ones
	MoreUnread  int               `json:"more_unread,omitempty"`
	Refused     string            `json:"refused,omitempty"` // why nothing of it was used
}

// ImportedSection is a part of a file that one tool printed.
type ImportedSection struct {
	Kind     string `json:"kind"`  // "pgbench"
	First    int    `json:"first"` // line numbers, from 1
	Last     int    `json:"last"`
	Runs     int    `json:"runs,omitempty"`
	Readings int    `json:"readings,omitempty"` // rows of time series
	Events   int    `json:"events,omitempty"`   // of a log
	Facts    int    `json:"facts,omitempty"`
	Disks    int    `json:"disks,omitempty"`   // jobs of fio
	Refused  string `json:"refused,omitempty"` // why nothing of it was used
}

// UnreadLine is a line that no reader understood.
type UnreadLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// ImportedFact is a statement that belongs to no second of a run.
type ImportedFact struct {
	Environment string `json:"environment,omitempty"`
	File        string `json:"file"`
	Source      string `json:"source"` // the program
	Name        string `json:"name"`
	Value       string `json:"value"`          // with its unit
	Time        string `json:"time,omitempty"` // as far as it is known
}

// WriteImport writes import.json.
func (w *Writer) WriteImport(imported Import) error {
	imported.Schema = ImportSchema
	if err := w.replace(importFile, imported); err != nil {
		return fmt.Errorf("cannot record what was imported: %w", err)
	}
	return nil
}

// readImport reads import.json. It returns nil for a record that was not imported.
func readImport(root *os.Root, total *files.Total) (*Import, error) {
	var imported Import
	err := files.ReadJSON(root, importFile, maxImportFile, ImportSchema, &imported, total)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there being none is no error
	}
	clipNotes(imported.Notes)
	return &imported, err
}
