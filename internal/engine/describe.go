package engine

import (
	"slices"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
)

// RoundTrip is the median time that a server takes to answer the shortest thing that can
// be asked, in nanoseconds: what any request takes at the least, whatever its disks.
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

// VolumesAt are the directories of a server that was already there, by their roles, as an
// experiment's record has them. One that cannot be looked at is left out.
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
				Size: place.Size, Free: place.Free, Device: place.Device(), Disks: place.Disks,
			})
		}
	}
	return all
}

// NotInForce is the note of settings that an experiment declares and a server that was
// already there does not have.
func NotInForce(differing string) record.Note {
	return record.Note{
		Rule: "settings-not-in-force",
		Text: "settings of the experiment that the server does not have: " + differing,
		Hint: "set them there; plinth does not change a server that is not its own",
	}
}
