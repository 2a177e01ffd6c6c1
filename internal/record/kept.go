package record

import "sync"

// kept holds what was computed from runs, by run and purpose.
type kept struct{ values sync.Map }

type keptKey struct {
	run     RunID
	purpose string
}

// Kept returns what compute returned for a run the first time, and for this purpose: a committed run does not
// change, and a Follower hands on what was kept of a record to its later readings. The value is shared and
// must not be modified. A record that was not read from a directory keeps nothing.
func (r *Record) Kept(run RunID, purpose string, compute func() any) any {
	if r.kept == nil {
		return compute()
	}
	once, _ := r.kept.values.LoadOrStore(keptKey{run, purpose}, sync.OnceValue(compute))
	return once.(func() any)()
}

// Keeps reports whether the record keeps what is computed from its runs.
func (r *Record) Keeps() bool { return r.kept != nil }
