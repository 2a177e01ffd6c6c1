package page

import (
	"encoding/json"
	"runtime"

	"plinth/internal/record"
)

const (
	// DetailsLimit is the maximum size of the runs second by second in a file, in bytes of JSON.
	DetailsLimit = 3 << 20
	// fileLimit is the maximum size of the file with them, in bytes: below 5 MB it is small enough for a mail.
	// A file whose other content takes more room has fewer runs second by second.
	fileLimit = 4_900_000
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
// RoomRule. counted holds the runs that count for the results. write writes a run's report as HTML
// into its detail, where it also counts towards the limit; Choose calls it concurrently.
func Choose(rec *record.Record, counted []record.Run, limit int, write func(*Detail, *record.Run)) ([]Detail, Room) {
	chosen, room := []Detail{}, Room{Limit: limit, Of: len(rec.Runs)}
	order := byInterest(rec, counted)
	batch := 2 * runtime.GOMAXPROCS(0) // fewer than this are rendered in vain
	for len(order) > 0 {
		next := order[:min(batch, len(order))]
		order = order[len(next):]
		for _, s := range sizedDetails(rec, next, write) {
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

// room returns how many bytes the runs second by second may take in a file that also holds the rest of a page.
func (p *Page) room() (int, error) {
	part, err := p.Part()
	looks, program, _ := assets()
	return min(DetailsLimit, max(0, fileLimit-len(part)-len(looks)-len(program))), err
}

// sized is a detail and its size in bytes of JSON.
type sized struct {
	Detail
	size int
}

func sizedDetails(rec *record.Record, runs []*record.Run, write func(*Detail, *record.Run)) []sized {
	all := make([]sized, len(runs))
	inParallel(len(runs), func(i int) {
		d := NewDetail(rec, runs[i], fileValues)
		write(&d, runs[i])
		size := DetailsLimit + 1 // for a number that JSON cannot represent; records cannot contain one
		if data, err := json.Marshal(d); err == nil {
			size = len(data) + 1 // in a list, with its comma
		}
		all[i] = sized{d, size}
	})
	return all
}
