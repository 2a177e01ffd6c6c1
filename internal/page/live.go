package page

import "plinth/internal/record"

// LiveSchema is the schema of Live.
const LiveSchema = "plinth/live/v1"

// Live is how far an experiment is: what plinth serve tells an open page, again
// and again.
type Live struct {
	Schema string        `json:"schema"`
	Record string        `json:"record"`
	State  record.State  `json:"state"`
	Reason string        `json:"reason,omitempty"` // why it did not go to its end
	Runs   int           `json:"runs"`             // committed
	Counts record.Counts `json:"counts"`
	Now    *record.Now   `json:"now,omitempty"` // nil before the first step and after the end
	// Left is how long it will still take, in seconds, at the time this was made; 0
	// when that is not known.
	Left float64 `json:"left_s"`
	// Look says how the sequential test stands: "2 more repeats until the next look".
	Look string `json:"look,omitempty"`
	// Points are those of the run that goes on, from the one asked for on.
	Points []record.Point `json:"points"`
	From   int            `json:"from"` // the number of the first of Points, from 0
}
