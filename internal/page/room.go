package page

import (
	"encoding/json"
	"runtime"

	"plinth/internal/record"
)

const (
	// DetailsLimit is how large the runs' seconds in a file may be, in bytes of JSON: a
	// file that is opened from a mail stays below 5 MB.
	DetailsLimit = 3 << 20
	// fileValues is the most values of a series in a file: some ten minutes in full, and
	// of a longer run as many as a screen is wide.
	fileValues = 600
	// servedValues is the same of what plinth serve sends for one run: three hours in
	// full.
	servedValues = 3 * 60 * 60
)

// RoomRule says for readers which runs are in the file second by second.
const RoomRule = "First, of each workload at its most clients, the block whose effect is nearest the median, in every environment; " +
	"then the first run of each reason for which runs are not valid; then all others in the order in which they happened, as long as there is room."

// Choose makes the details that go into a file, limit bytes of JSON at the most, in
// the order of RoomRule; counted are the runs that the record's numbers are made of.
// tables makes a run's own report as HTML, which counts as well; it is called on
// several CPUs at once.
func Choose(rec *record.Record, counted []record.Run, limit int, tables func(*record.Run) string) ([]Detail, Room) {
	chosen, room := []Detail{}, Room{Limit: limit, Of: len(rec.Runs)}
	order := byInterest(rec, counted)
	batch := 2 * runtime.GOMAXPROCS(0) // what is made in vain is less than that
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

// sized is a detail, and its bytes of JSON.
type sized struct {
	Detail
	size int
}

func sizedDetails(rec *record.Record, runs []*record.Run, tables func(*record.Run) string) []sized {
	all := make([]sized, len(runs))
	inParallel(len(runs), func(i int) {
		d := NewDetail(rec, runs[i], fileValues)
		d.Tables = tables(runs[i])
		size := DetailsLimit + 1 // of a number that JSON cannot hold, which a record cannot have either
		if data, err := json.Marshal(d); err == nil {
			size = len(data) + 1 // in a list, with its comma
		}
		all[i] = sized{d, size}
	})
	return all
}
