package host

// IdleThread is a thread of plinth's own that only keeps a CPU awake: it runs where
// nobody else would, and its time counts as idle.
type IdleThread struct {
	CPU     int `json:"cpu"`
	Process int `json:"-"`
	Thread  int `json:"thread"`
}
