package record

import (
	"fmt"
	"os"

	"plinth/internal/record/files"
)

// maxRelationsFile is far above the size of a reading of 200 tables and indexes, 10 to 20 kB.
const maxRelationsFile = 8 << 20

// Relations holds two files of a run: the statistics of the server's tables and indexes just before its load,
// and after the load and the checkpoint that follows it. The server's engine writes and reads their content.
type Relations struct{ Before, After []byte }

// KeepRelations adds the two files to the run, or neither.
func (p *Pending) KeepRelations(r Relations) error {
	root, before, after := p.writer.root, running(relationsBefore), running(relationsAfter)
	err := root.WriteFile(before, r.Before, 0o644)
	if err == nil {
		err = root.WriteFile(after, r.After, 0o644)
	}
	if err == nil {
		return nil // Commit syncs them
	}
	for _, path := range []string{before, after} {
		_ = root.Remove(path) // it may not exist
	}
	return fmt.Errorf("cannot keep the statistics of tables and indexes: %w", files.Bare(err))
}

// Relations returns the two files of a run. It opens no file outside the record. The error of a run without
// them is fs.ErrNotExist.
func (r *Record) Relations(run *Run) (all Relations, err error) {
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return all, cannotRead(r.Path, files.Bare(err))
	}
	defer func() { _ = root.Close() }() // nothing was written
	if all.Before, err = files.Read(root, run.Path()+"/"+relationsBefore, maxRelationsFile); err == nil {
		all.After, err = files.Read(root, run.Path()+"/"+relationsAfter, maxRelationsFile)
	}
	if err != nil {
		return Relations{}, fmt.Errorf("cannot read the statistics of tables and indexes: %w", err)
	}
	return all, nil
}
