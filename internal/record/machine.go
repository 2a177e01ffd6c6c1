package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"plinth/internal/host"
	"plinth/internal/record/files"
)

// MachineSchema is the schema of machine.json.
const MachineSchema = "plinth/machine/v1"

// Machine is the content of machine.json: the machine and its settings when the experiment began.
type Machine struct {
	Schema string    `json:"schema"`
	Taken  time.Time `json:"taken"`
	host.Inventory
}

// WriteMachine writes machine.json unless it exists: a resumed experiment keeps the machine that
// it began with.
func (w *Writer) WriteMachine(inventory host.Inventory) error {
	if _, err := w.root.Lstat(machineFile); err == nil {
		return nil
	}
	m := Machine{MachineSchema, time.Now().UTC().Truncate(time.Second), inventory}
	if err := w.replace(machineFile, m); err != nil {
		return fmt.Errorf("cannot record the machine: %w", err)
	}
	return nil
}

// readMachine reads machine.json. It returns nil for a record older than that file.
func readMachine(root *os.Root) (*Machine, error) {
	var m Machine
	err := files.ReadJSON(root, machineFile, maxMachineFile, MachineSchema, &m, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there being none is no error
	}
	return &m, err
}
