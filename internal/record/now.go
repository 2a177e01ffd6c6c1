package record

import (
	"time"

	"plinth/internal/experiment"
)

// Now is what an experiment that goes on is doing. It is in now.json from its
// first step to its end; a page reads it, and nothing depends on it.
type Now struct {
	At          time.Time        `json:"at"`   // when it was written
	Step        string           `json:"step"` // "loading", "driving", "stopping"
	Environment string           `json:"environment,omitempty"`
	Detail      string           `json:"detail,omitempty"` // "accounts, 45 %"
	Cell        *experiment.Cell `json:"cell,omitempty"`   // of the run that goes on
	Path        string           `json:"path,omitempty"`   // of the run that goes on
	Run         int              `json:"run"`              // its number; 0 before the first
	Runs        int              `json:"runs"`             // planned in all
	Left        float64          `json:"left_s"`           // to the end of the experiment, when this was written; 0 when not known
}
