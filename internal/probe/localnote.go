package probe

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/unit"
)

// notes returns what must be wrong with a volume's figures, since they are better than those of the
// disk under it. l may be nil.
func (l *Local) notes(r *Result) []Note {
	if l == nil {
		return nil
	}
	if r.Slices < l.fewest() {
		return []Note{{"local-undecided", fmt.Sprintf("in fewer than %d slices, a volume may look faster than its local disk by chance: they are not compared", l.fewest()), "use --for 60s"}}
	}
	var notes []Note
	if reads := l.faster(Read1); reads != "" {
		notes = append(notes, Note{"cached-reads", "a volume cannot read faster than the disk that stores it, but this one does, so a cache answered: " + reads,
			"use a test file larger than that cache (--size)"})
	}
	durable := []string{Commit, Group}
	if r.Target.WriteCache == "write through" { // then a completed write claims to be stored
		durable = append(durable, Write1)
	}
	if writes := l.faster(durable...); writes != "" {
		notes = append(notes, Note{"early-acknowledgement", "a volume cannot store a write faster than the disk under it, but this one acknowledges writes faster, so it does so before they are stored, and a crash can lose committed transactions: " + writes,
			"check the volume's settings for caches and replication; only a cache that survives a power cut is safe"})
	}
	return notes
}

// faster lists those steps in which the volume was faster, with the figures; "" if there are none.
func (l *Local) faster(steps ...string) string {
	var lines []string
	for _, name := range steps {
		for _, c := range l.Comparisons {
			if c.Step == name && c.Faster {
				lines = append(lines, fmt.Sprintf("%s %s, local disk %s", stepWords[name], c.Volume, c.Local))
			}
		}
	}
	return strings.Join(lines, "; ")
}

// stepWords describes the steps that are compared.
var stepWords = map[string]string{
	Read1: "random read", Write1: "random write", Commit: "8 KiB + fdatasync", Group: "64 KiB + fdatasync",
}

// String returns the median with the range of the slices: "96us (90us to 101us)".
func (m Medians) String() string {
	if m.Slices == 0 {
		return latencyWords(m.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", latencyWords(m.Value), latencyWords(m.Low), latencyWords(m.High))
}

// latencyWords formats seconds with three significant digits: more are noise.
func latencyWords(seconds float64) string {
	return unit.Duration(unit.Rounded(seconds * float64(time.Second))).String()
}
