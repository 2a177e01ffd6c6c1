package record

import (
	"math"
	"slices"
)

// Durability is what was done to one environment after its last run, while it
// acknowledged numbered writes, and what of them was there again.
type Durability struct {
	Fault   string   `json:"fault"`   // "kill" or "power-cut"
	Of      string   `json:"of"`      // "primary" or "both": whom it struck
	Recover string   `json:"recover"` // "disk", or "promote": its replica took over
	Strikes []Strike `json:"strikes"` // in the order in which they happened
}

// Strike is one fault, and what came back. Times are in seconds.
type Strike struct {
	At           float64 `json:"at_s"`         // after the writes had begun
	Acknowledged int64   `json:"acknowledged"` // writes that the server had said are done
	Found        int64   `json:"found"`        // of those, when a server answered again
	// Back is how far back the loss reaches: from the last acknowledgement to that of
	// the first write that is gone; 0 where none is.
	Back  float64 `json:"back_s"`
	Took  float64 `json:"took_s"`            // until a server answered again, from the kill or the power's return
	Mount float64 `json:"mount_s,omitempty"` // of that, mounting the filesystems
	// Lag is by how many bytes the replica was behind just before; nil where there is
	// none, or it was not to be known.
	Lag *int64 `json:"lag_bytes,omitempty"`
	// Broke is why the environment could not be used any more, in the words of who
	// failed; no strike comes after it.
	Broke string `json:"broke,omitempty"`
}

// Lost is how many writes are not there any more though the server had acknowledged
// them.
func (s Strike) Lost() int64 { return max(s.Acknowledged-s.Found, 0) }

// Acknowledged is how many writes were acknowledged in all strikes together.
func (d Durability) Acknowledged() int64 {
	var n int64
	for _, s := range d.Strikes {
		n += s.Acknowledged
	}
	return n
}

// Lost is how many of them are gone.
func (d Durability) Lost() int64 {
	var n int64
	for _, s := range d.Strikes {
		n += s.Lost()
	}
	return n
}

// Lossy is how many strikes lost any.
func (d Durability) Lossy() int {
	n := 0
	for _, s := range d.Strikes {
		if s.Lost() > 0 {
			n++
		}
	}
	return n
}

// Telling is how many strikes can tell anything: before the others nothing was
// acknowledged.
func (d Durability) Telling() int {
	n := 0
	for _, s := range d.Strikes {
		if s.Acknowledged > 0 {
			n++
		}
	}
	return n
}

// Broke is why the environment could not be used any more; "" where it could.
func (d Durability) Broke() string {
	if len(d.Strikes) == 0 {
		return ""
	}
	return d.Strikes[len(d.Strikes)-1].Broke
}

// Worst and Median are of what the strikes that tell anything show; 0 where none does.
func (d Durability) Worst(of func(Strike) float64) float64 {
	all := d.telling(of)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// Median is the middle one, or the mean of the two in the middle.
func (d Durability) Median(of func(Strike) float64) float64 {
	all := d.telling(of)
	if len(all) == 0 {
		return 0
	}
	half := len(all) / 2
	if len(all)%2 == 1 {
		return all[half]
	}
	return (all[half-1] + all[half]) / 2
}

// telling are values of the strikes that tell anything, ascending.
func (d Durability) telling(of func(Strike) float64) []float64 {
	var all []float64
	for _, s := range d.Strikes {
		if s.Acknowledged > 0 {
			all = append(all, of(s))
		}
	}
	slices.Sort(all)
	return all
}

// Bound is the share of strikes that may lose something, where none of those that
// happened did: at 95 %, the largest share at which n strikes without a loss still
// come up once in twenty. It is the exact form of the rule of three, 3/n.
//
// Hanley and Lippman-Hand, If nothing goes wrong, is everything all right?
// JAMA 249 (1983) 1743-1745.
func (d Durability) Bound() float64 {
	n := d.Telling()
	if n == 0 || d.Lossy() > 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// Struck is the durability of an environment that is shown or compared.
type Struck struct {
	Record      string `json:"record,omitempty"` // its name, where two are compared
	Environment string `json:"environment"`
	Baseline    bool   `json:"baseline,omitempty"` // what the others are compared with
	Durability
}

// Struck are the durabilities of the named environments, in that order; none where
// nothing was done to them.
func (s Summary) Struck(baseline string, environments []string) []Struck {
	var all []Struck
	for _, name := range environments {
		if d, struck := s.Durability[name]; struck && len(d.Strikes) > 0 {
			all = append(all, Struck{Environment: name, Baseline: name == baseline, Durability: d})
		}
	}
	return all
}
