package imported

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/device"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Sizes of requests whose latencies describe a page of a database, in bytes.
const (
	smallestPage = 4 << 10
	largestPage  = 16 << 10
	largeBlock   = 128 << 10 // whose transfer takes most of a request's time
)

// busy is how many requests must be under way to reach the limits of a disk.
const busy = 8

// Device returns the model of the disk of an environment, as plinth probe makes one: latencies of
// single requests, and limits as the highest rates that were measured. It returns an error that says
// which job is missing.
func (o *Outcome) Device(environment string) (*device.Device, error) {
	var jobs []Disk
	for _, d := range o.Disks {
		if d.Environment == environment {
			jobs = append(jobs, d)
		}
	}
	read := alone(jobs, func(j capture.Job) *capture.Transfer { return j.Read })
	write := alone(jobs, func(j capture.Job) *capture.Transfer { return j.Write })
	switch {
	case read == nil:
		return nil, fmt.Errorf("no job reads one request of 4 to 16 KiB at a time (iodepth=1, numjobs=1)")
	case write == nil:
		return nil, fmt.Errorf("no job writes one request of 4 to 16 KiB at a time (iodepth=1, numjobs=1)")
	}
	d := &device.Device{
		Name: environment, Read: latency(read.Times), Write: latency(write.Times),
		Source: "imported from fio: latencies at queue depth 1, limits as the highest rates measured",
	}
	limited := slices.ContainsFunc(jobs, func(d Disk) bool { return depth(d.Job) >= busy && page(d.Block) })
	if !limited {
		d.Source = "imported from fio: latencies at queue depth 1; no job had many requests under way, so that limits of IOPS are unknown"
	}
	for _, j := range jobs {
		limits(d, j.Job)
		if j.Version != "" {
			d.Measured = "fio " + strings.TrimPrefix(j.Version, "fio-")
		}
		if j.Sync != nil && d.Flush.Median == 0 && depth(j.Job) == 1 {
			if flush := latency(*j.Sync); flush.Median > 0 {
				d.WriteCache, d.Flush = true, flush
			}
		}
	}
	return d, d.Check()
}

// limits raises the limits of a device to what a job reached, if it had enough requests under way.
func limits(d *device.Device, j capture.Job) {
	if page(j.Block) && depth(j) >= busy {
		d.IOPS.Rate = max(d.IOPS.Rate, unit.Rounded(total(j, func(t *capture.Transfer) float64 { return t.IOPS })))
	}
	if depth(j) >= busy || j.Block >= largeBlock {
		bytes := total(j, func(t *capture.Transfer) float64 { return t.Bytes })
		d.Throughput.Rate = max(d.Throughput.Rate, unit.Rate(math.Round(bytes/float64(unit.KiB)))*unit.Rate(unit.KiB))
	}
}

func page(block int64) bool { return block >= smallestPage && block <= largestPage }

// depth returns how many requests of a job are under way at the same time.
func depth(j capture.Job) int { return max(1, j.Depth) * max(1, j.Jobs) }

// alone returns the transfer of a job that has one request of a page under way; nil if there is none.
func alone(jobs []Disk, of func(capture.Job) *capture.Transfer) *capture.Transfer {
	for _, j := range jobs {
		other := j.Read != nil && j.Write != nil
		if t := of(j.Job); t != nil && !other && depth(j.Job) == 1 && page(j.Block) && latency(t.Times).Median > 0 {
			return t
		}
	}
	return nil
}

func total(j capture.Job, of func(*capture.Transfer) float64) float64 {
	sum := 0.0
	for _, t := range []*capture.Transfer{j.Read, j.Write} {
		if t != nil {
			sum += of(t)
		}
	}
	return sum
}

// latency returns the median and the 99th percentile of a distribution; zeros if it has none.
func latency(t capture.Times) device.Latency {
	var l device.Latency
	for _, p := range t.Percentiles {
		switch p.Share {
		case 50:
			l.Median = unit.Duration(p.Value)
		case 99:
			l.P99 = unit.Duration(p.Value)
		}
	}
	if l.P99 < l.Median {
		l.P99 = 0
	}
	return l
}

// againstDisks points out runs that commit more often than the disk of their environment can flush. A
// flush can commit the transactions of all clients, so there can be that many commits in its time.
func (c *collection) againstDisks() {
	for _, r := range c.runs {
		if engines[r.Tool] != "postgres" || !slices.Contains([]string{"tpcb-like", "simple-update"}, r.ID.Workload) {
			continue
		}
		flush, file := c.flushOf(r.Environment)
		if flush == 0 {
			continue
		}
		most := float64(r.Clients) / flush.Seconds()
		if r.Result.TPS > 1.1*most {
			r.Notes = append(r.Notes, record.Note{Rule: capture.Contradiction, Text: fmt.Sprintf(
				"%s TPS, but a flush takes %s (%s), so %s can commit %.0f times a second at most: either commits did not wait for this disk (synchronous_commit, fsync), or it was another one",
				digits(r.Result.TPS), flush, file, unit.Count(r.Clients, "client"), most)})
		}
	}
}

// flushOf returns the fastest mean time of a durable write in an environment, and its file; 0 if there
// is none.
func (c *collection) flushOf(environment string) (time.Duration, string) {
	var best time.Duration
	var file string
	for _, d := range c.disks {
		if d.Environment != environment || d.Sync == nil || d.Sync.Mean <= 0 {
			continue
		}
		if mean := time.Duration(d.Sync.Mean).Round(100 * time.Nanosecond); best == 0 || mean < best {
			best, file = mean, cmp.Or(d.Name, d.File)
		}
	}
	return best, file
}

// HasDisk reports whether a disk of an environment was measured.
func (o *Outcome) HasDisk(environment string) bool {
	return slices.ContainsFunc(o.Disks, func(d Disk) bool { return d.Environment == environment })
}
