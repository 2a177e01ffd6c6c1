package share

import (
	"math"
	"strings"

	"plinth/internal/record"
)

// blocked returns the time that the thread waited for the append-only file: what it took for its event loop
// beyond the rest. Versions before 7.2 do not report it: it is then the time in which the file's disk was busy
// where each reply waits for it, or where nothing ended; and otherwise what the latency monitor recorded.
func (r *reading) blocked(i int, rest float64) float64 {
	row := r.rows[i]
	if !r.appends() {
		return 0
	}
	events := 0.0
	for name := range r.w.Columns {
		if event, is := strings.CutPrefix(name, "latency."); is && strings.HasPrefix(event, "aof-") && event != "aof-rewrite-diff-write" {
			events = max(events, r.event(event, row))
		}
	}
	if whole := r.w.At(loopTime, row); !math.IsNaN(whole) {
		return max(events, whole-rest, 0)
	}
	disk := r.busyDisk(row)
	if r.environment.Settings["appendfsync"] == "always" {
		if r.load != nil && r.w.Run.Result.Loop == "closed" {
			disk = max(disk, r.flushing(i, 1-rest, disk))
		}
		return max(events, disk)
	}
	// The latency monitor reports the latest event only.
	if r.silent(i) && r.still(i) && disk > 0.5 {
		return 1 - rest
	}
	return events
}

// flushing returns for how long the thread waits for flushes, of the time in which it neither runs nor waits for a
// CPU, in a closed loop: at least while the load generator is idle, as all requests are then at the thread. If the
// disk is busy for most of that time, flushes follow each other: the thread waits for one unless all requests are at
// the generator.
func (r *reading) flushing(i int, rest, disk float64) float64 {
	sending := r.sending(i)
	if disk < rest/2 {
		return rest - sending
	}
	return rest - empty(r.InFlight[i], sending/max(1-sending, 1e-9))
}

// appends reports whether the server has an append-only file.
func (r *reading) appends() bool {
	_, why := r.w.Known(appended)
	return why == "" || r.environment.Settings["appendonly"] == "yes"
}

// busyDisk returns the share of a second in which the file's disk was busy.
func (r *reading) busyDisk(row int) (most float64) {
	for _, disk := range record.DevicesOf(r.environment.Volumes, "data") {
		most = max(most, zero(r.w.At("diskstats."+disk+".utilisation", row)))
	}
	return most
}
