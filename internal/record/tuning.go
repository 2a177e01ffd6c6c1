package record

// Tuning is what was tuned for an environment, each value as it was read back.
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
	// Host says that it changed the whole machine, and so had to be switched where
	// environments differ in it.
	Host bool `json:"host,omitempty"`
	// NotApplicable is why it was not set: this machine has no such thing.
	NotApplicable string `json:"not_applicable,omitempty"`
}

// LeftOut is an environment that was not measured.
type LeftOut struct {
	Environment string `json:"environment"`
	Reason      string `json:"reason"`
	Change      string `json:"change,omitempty"` // of a step: what it would have changed
	Step        int    `json:"step,omitempty"`   // which of the steps it would have been, from 1
}

// Switch is how the machine was changed from one environment to the next, in seconds.
type Switch struct {
	Stop   float64 `json:"stop_s"`      // checkpoint, and end of the server before
	Sync   float64 `json:"sync_s"`      // until no more than 16 MiB are dirty or on their way
	Tune   float64 `json:"tune_s"`      // the values before put back, the new ones applied and read back
	Start  float64 `json:"start_s"`     // of the server
	Settle float64 `json:"settle_s"`    // caches as declared
	Dirty  int64   `json:"dirty_bytes"` // left when it was given up or done
}
