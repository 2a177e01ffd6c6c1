package record

// Event is what happened by order of the experiment during a run.
type Event struct {
	Name string  `json:"name"`
	What string  `json:"what"` // the SQL or the command
	At   float64 `json:"at_s"` // seconds after the window began
	Took float64 `json:"took_s"`
	// Error is why it failed, in the words of who did it.
	Error string `json:"error,omitempty"`
}
