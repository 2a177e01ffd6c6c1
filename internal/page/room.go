package page

import (
	"encoding/json"
	"runtime"

	"plinth/internal/record"
)

const (
	// DetailsLimit is the maximum size of the runs second by second in a file, in bytes of JSON.
	// It keeps the file below 5 MB, small enough for a mail.
	DetailsLimit = 3 << 20
	// fileValues is the maximum number of values of a series in a file: ten minutes in full; a
	// longer run is downsampled to about the width of a screen.
	fileValues = 600
	// servedValues is the same for a run that plinth serve sends: three hours in full.
	servedValues = 3 * 60 * 60
)

// RoomRule explains to readers which runs are in the file second by second.
const RoomRule = "First, for each workload at its highest number of clients, the block whose effect is nearest the median, in every environment; " +
	"then the first run with each reason for not being valid; then all others in chronological order, as many as fit."

// Choose returns the details that go into a file, at most limit bytes of JSON, in the order of
// RoomRule. counted holds the runs that count for the results. tables returns a run's report as
// HTML, which also counts towards the limit; Choose calls it concurrently.
func Choose(rec *record.Record, counted []record.Run, limit int, tables func(*record.Run) string) ([]Detail, Room) {
	chosen, room := []Detail{}, Room{Limit: limit, Of: len(rec.Runs)}
	order := byInterest(rec, counted)
	batch := 2 * runtime.GOMAXPROCS(0) // fewer than this are rendered in vain
	for len(order) > 0 {
		next := order[:min(batch, len(order))]
		order = order[len(next):]
		for _, s := range sizedDetails(rec, next, tables) {
			if room.Used+s.size > limit {
				return chosen, room
			}
			chosen = append(chosen, s.Detail)
			room.Used += s.size
			room.Included++
		}
	}
	return chosen, room
}

// sized is a detail and its size in bytes of JSON.
type sized struct {
	Detail
	size int
}

func sizedDetails(rec *record.Record, runs []*record.Run, tables func(*record.Run) string) []sized {
	all := make([]sized, len(runs))
	inParallel(len(runs), func(i int) {
		d := NewDetail(rec, runs[i], fileValues)
		d.Tables = tables(runs[i])
		size := DetailsLimit + 1 // for a number that JSON cannot represent; records cannot contain one
		if data, err := json.Marshal(d); err == nil {
			size = len(data) + 1 // in a list, with its comma
		}
		all[i] = sized{d, size}
	})
	return all
}
