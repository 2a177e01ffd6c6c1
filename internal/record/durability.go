package record

import (
	"math"
	"slices"
)

// Durability records the faults injected into one environment after its last run, while it
// acknowledged numbered writes, and how many of those writes survived.
type Durability struct {
	Fault      string      `json:"fault"`   // "kill", "power-cut", "delete-pod" or "drain"
	Of         string      `json:"of"`      // "primary" or "both": the servers that were hit
	Recover    string      `json:"recover"` // "disk"; "promote": the replica took over; "cluster": Kubernetes or its operator chose
	Injections []Injection `json:"strikes"` // in order of time
}

// Injection is one injected fault and its outcome. Times are in seconds.
type Injection struct {
	At           float64 `json:"at_s"`         // since the writes began
	Acknowledged int64   `json:"acknowledged"` // writes that the server had acknowledged
	Found        int64   `json:"found"`        // of those, the writes found once a server answered again
	// Back is how far back the loss reaches: from the acknowledgement of the first lost write to
	// the last acknowledgement; 0 if nothing was lost.
	Back  float64 `json:"back_s"`
	Took  float64 `json:"took_s"`            // from the kill or power-on until a server answered again
	Mount float64 `json:"mount_s,omitempty"` // the part of Took spent mounting filesystems
	// Outage is the longest time without an acknowledged write that ended after the fault. It is known
	// only on Kubernetes, where the writes go on through the fault.
	Outage float64 `json:"outage_s,omitempty"`
	// Primary is where the primary ran; nil unless it runs on Kubernetes.
	Primary *Primary `json:"primary,omitempty"`
	// Lag is the replica's lag in bytes just before the fault; nil without a replica, or if
	// unknown.
	Lag *int64 `json:"lag_bytes,omitempty"`
	// Broke is the error that made the environment unusable; no fault is injected after it.
	Broke string `json:"broke,omitempty"`
}

// Primary says where the primary of a server on Kubernetes ran before a fault, and once everything was
// ready again.
type Primary struct {
	Before PrimaryPod `json:"before"`
	After  PrimaryPod `json:"after"`
}

// PrimaryPod is the pod of a primary.
type PrimaryPod struct {
	Pod  string `json:"pod"`
	Node string `json:"node,omitempty"`
	// Timeline is that of PostgreSQL, which a promotion increases; 0 if the cluster does not say it.
	Timeline int64 `json:"timeline,omitempty"`
}

// TookOver reports whether another server became the primary.
func (s Injection) TookOver() bool {
	return s.Primary != nil && s.Primary.Before.Pod != s.Primary.After.Pod
}

// Lost returns the number of acknowledged writes that are gone.
func (s Injection) Lost() int64 { return max(s.Acknowledged-s.Found, 0) }

// FaultName returns what happened, for a sentence: "power cut".
func (d Durability) FaultName() string {
	switch d.Fault {
	case "delete-pod":
		return "pod deletion"
	case "power-cut":
		return "power cut"
	}
	return d.Fault
}

// OnKubernetes reports whether the writes went on through the faults, so that outages are known.
func (d Durability) OnKubernetes() bool {
	return slices.ContainsFunc(d.Injections, func(s Injection) bool { return s.Primary != nil })
}

// TookOver returns the number of faults after which another server was the primary.
func (d Durability) TookOver() int {
	n := 0
	for _, s := range d.Injections {
		if s.TookOver() {
			n++
		}
	}
	return n
}

// Acknowledged returns the number of acknowledged writes over all faults.
func (d Durability) Acknowledged() int64 {
	var n int64
	for _, s := range d.Injections {
		n += s.Acknowledged
	}
	return n
}

// Lost returns the number of acknowledged writes that are gone, over all faults.
func (d Durability) Lost() int64 {
	var n int64
	for _, s := range d.Injections {
		n += s.Lost()
	}
	return n
}

// Lossy returns the number of faults that lost at least one write.
func (d Durability) Lossy() int {
	n := 0
	for _, s := range d.Injections {
		if s.Lost() > 0 {
			n++
		}
	}
	return n
}

// Telling returns the number of faults that carry information: those before which at least one
// write was acknowledged.
func (d Durability) Telling() int {
	n := 0
	for _, s := range d.Injections {
		if s.Acknowledged > 0 {
			n++
		}
	}
	return n
}

// Broke returns the error that made the environment unusable, or "".
func (d Durability) Broke() string {
	if len(d.Injections) == 0 {
		return ""
	}
	return d.Injections[len(d.Injections)-1].Broke
}

// Worst returns the largest value among the faults that carry information; 0 if there are none.
func (d Durability) Worst(of func(Injection) float64) float64 {
	all := d.telling(of)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}

// Median returns the median value of the faults that carry information; 0 if there are none.
func (d Durability) Median(of func(Injection) float64) float64 {
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

// Answered returns the median of the seconds until a server answered again, of the faults after which one
// did; 0 if there are none.
func (d Durability) Answered() float64 {
	answered := Durability{Injections: slices.DeleteFunc(slices.Clone(d.Injections), func(s Injection) bool {
		return s.Broke != "" && s.Found == 0
	})}
	return answered.Median(func(s Injection) float64 { return s.Took })
}

// telling returns the values of the faults that carry information, in ascending order.
func (d Durability) telling(of func(Injection) float64) []float64 {
	var all []float64
	for _, s := range d.Injections {
		if s.Acknowledged > 0 {
			all = append(all, of(s))
		}
	}
	slices.Sort(all)
	return all
}

// Bound returns the upper 95 % confidence limit of the share of faults that lose data when none
// of the n observed faults did: the largest share at which n faults without a loss still occur
// one time in twenty. It is the exact form of the rule of three, 3/n.
//
// Hanley and Lippman-Hand, If nothing goes wrong, is everything all right? JAMA 249 (1983)
// 1743-1745.
func (d Durability) Bound() float64 {
	n := d.Telling()
	if n == 0 || d.Lossy() > 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// Survival is the durability of one environment, for display or comparison.
type Survival struct {
	Record      string `json:"record,omitempty"` // the record's name, when two records are compared
	Environment string `json:"environment"`
	Baseline    bool   `json:"baseline,omitempty"` // the reference of the comparison
	Durability
}

// Survivals returns the durabilities of the named environments, in that order. Environments without
// an injected fault are omitted.
func (s Summary) Survivals(baseline string, environments []string) []Survival {
	var all []Survival
	for _, name := range environments {
		if d, known := s.Durability[name]; known && len(d.Injections) > 0 {
			all = append(all, Survival{Environment: name, Baseline: name == baseline, Durability: d})
		}
	}
	return all
}
