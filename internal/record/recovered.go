package record

// Recovered is what a power cut did to an environment that is shown or compared.
type Recovered struct {
	Record      string `json:"record,omitempty"` // its name, where two are compared
	Environment string `json:"environment"`
	Baseline    bool   `json:"baseline,omitempty"` // what the others are compared with
	Recovery
}

// Lost is how many transactions are not there any more though the server had said
// that they are committed.
func (r Recovery) Lost() int64 { return max(r.Acknowledged-r.Found, 0) }

// Recovered are the recoveries of the named environments, in that order; none where
// no power was cut.
func (s Summary) Recovered(baseline string, environments []string) []Recovered {
	var all []Recovered
	for _, name := range environments {
		if r, cut := s.Recoveries[name]; cut {
			all = append(all, Recovered{Environment: name, Baseline: name == baseline, Recovery: r})
		}
	}
	return all
}
