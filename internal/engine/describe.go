package engine

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
)

// RoundTrip returns the median time, in nanoseconds, that a server takes to answer the shortest
// possible request: the minimum latency of any request, whatever the disks.
func RoundTrip(ask func() error) (float64, error) {
	const warm, wanted, least, limit = 10, 200, 50, time.Second
	var times []time.Duration
	began := time.Now()
	for i := range warm + wanted {
		start := time.Now()
		if err := ask(); err != nil {
			return 0, err
		}
		if i >= warm {
			times = append(times, time.Since(start))
		}
		if len(times) >= least && time.Since(began) > limit {
			break
		}
	}
	slices.Sort(times)
	return float64(times[len(times)/2]), nil
}

// Site is where a connected server runs, as seen from this machine.
type Site struct {
	Local  bool              // on this machine
	PID    int               // of its first process; 0 if unknown
	Places map[string]string // its directories by role, as host.PathOf returns them
}

// Describe adds to an environment what this machine shows of a connected server: the volumes of these roles,
// with their paths as the server has them, and the limits of its control groups, as in a container. What
// cannot be read is omitted.
func (s Site) Describe(e *record.Environment, roles ...string) {
	e.Elsewhere = !s.Local
	if !s.Local {
		return
	}
	if facts, err := host.ReadFacts(); err == nil {
		e.Dataset.Memory = facts.Memory
	}
	e.Limits = limitsOf(s.PID, e.Dataset.Memory)
	for _, role := range roles {
		path, known := s.Places[role]
		if !known {
			continue
		}
		if place, err := host.PlaceOf(role, path); err == nil {
			e.Volumes = append(e.Volumes, record.Volume{
				Role: role, Path: host.PathInside(path), Filesystem: place.Filesystem, Options: place.Options, Source: place.Source,
				Size: place.Size, Free: place.Free, Device: place.Device(), Disks: place.Disks, Remote: place.Remote,
			})
		}
	}
}

// limitsOf returns the limits of a process's control groups on a machine with this memory; nil if there are
// none, or for PID 0. Kubernetes limits all pods together to the memory of the machine.
func limitsOf(pid int, memory int64) *record.Limits {
	if pid == 0 {
		return nil
	}
	l := host.GroupLimits(pid)
	limits := record.Limits{CPUs: l.CPUSet, CPUQuota: l.CPUs, Memory: l.Memory}
	if memory > 0 && l.Memory >= memory {
		limits.Memory = 0
	}
	if limits == (record.Limits{}) {
		return nil
	}
	limits.Cgroup = fmt.Sprintf("v%d", l.Version)
	return &limits
}

// NotInForce returns the note about settings that an experiment declares and that a connected
// server does not have.
func NotInForce(differing string) record.Note {
	return record.Note{
		Rule: "settings-not-in-force",
		Text: "settings of the experiment that are not in force on the server: " + differing,
		Hint: "set them on the server; plinth does not change the settings of a connected server",
	}
}
