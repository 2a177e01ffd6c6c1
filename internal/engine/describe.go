package engine

import (
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

// VolumesAt returns the directories of a connected server, by role, as an experiment's record
// holds them. Directories that cannot be read are omitted.
func VolumesAt(places map[string]string, roles ...string) []record.Volume {
	var all []record.Volume
	for _, role := range roles {
		path, known := places[role]
		if !known {
			continue
		}
		if place, err := host.PlaceOf(role, path); err == nil {
			all = append(all, record.Volume{
				Role: role, Path: path, Filesystem: place.Filesystem, Options: place.Options, Source: place.Source,
				Size: place.Size, Free: place.Free, Device: place.Device(), Disks: place.Disks, Remote: place.Remote,
			})
		}
	}
	return all
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
