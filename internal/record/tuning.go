package record

// Tuning lists what was tuned for an environment, each value as it was read back.
type Tuning struct {
	Profiles []string `json:"profiles,omitempty"`
	Knobs    []Knob   `json:"knobs"` // in the order in which they were applied
}

// Knob is one knob that was to be set.
type Knob struct {
	Layer  string `json:"layer"` // "kernel", "server"
	Key    string `json:"key"`   // "vm.swappiness", "read_ahead_kb@data"
	Was    string `json:"was,omitempty"`
	Value  string `json:"value"`
	Group  string `json:"group,omitempty"`
	From   string `json:"profile,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Host says that it changes the whole machine, and so must be switched if environments differ
	// in it.
	Host bool `json:"host,omitempty"`
	// NotApplicable is the reason why it was not set: the machine does not have it.
	NotApplicable string `json:"not_applicable,omitempty"`
}

// LeftOut is an environment that was not measured.
type LeftOut struct {
	Environment string `json:"environment"`
	Reason      string `json:"reason"`
	Change      string `json:"change,omitempty"` // for a step: the change that it would have added
	Step        int    `json:"step,omitempty"`   // for a step: its number, from 1
}

// Switch holds the durations of the parts of a switch from one environment to the next, in seconds.
type Switch struct {
	Stop   float64 `json:"stop_s"`      // checkpoint and shutdown of the previous server
	Sync   float64 `json:"sync_s"`      // until at most 16 MiB are dirty or in write-back
	Tune   float64 `json:"tune_s"`      // restoring the previous values, applying the new ones and reading them back
	Start  float64 `json:"start_s"`     // starting the next server
	Settle float64 `json:"settle_s"`    // bringing the caches into the declared state
	Dirty  int64   `json:"dirty_bytes"` // dirty bytes left when waiting ended or was given up
}
