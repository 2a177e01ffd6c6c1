package procps

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// maxDisks is how many disks are kept.
const maxDisks = 256

// disks reads vmstat -d: totals since boot, of which the last report is kept. Its columns are those of
// diskformat in procps' vmstat.c: requests, merged requests, sectors of 512 bytes, milliseconds, requests
// in flight divided by 1000, and seconds with requests in flight.
type disks struct {
	capture.LastLine
	banner  bool
	stamped bool
	zone    string
	names   []string
	values  map[string][]string
	at      map[string]capture.Moment
	last    string
	repeats int
	left    int
}

func newDisks() *disks {
	return &disks{values: map[string][]string{}, at: map[string]capture.Moment{}}
}

var (
	diskBanner = regexp.MustCompile(`^disk- -+reads-+ -+writes-+ -+IO-+(?: -+timestamp-+)?\s*$`)
	diskNames  = regexp.MustCompile(`^\s+total\s+merged\s+sectors\s+ms\s+total\s+merged\s+sectors\s+ms\s+cur\s+sec(?:\s+(\S+))?\s*$`)
)

var diskColumns = []string{
	"reads.total", "reads.merged", "reads.sectors", "reads.ms",
	"writes.total", "writes.merged", "writes.sectors", "writes.ms", "IO.cur", "IO.sec",
}

func beginsDisks(lines []string) bool { return diskBanner.MatchString(lines[0]) }

// Line implements capture.Reader.
func (d *disks) Line(line []byte) bool { return d.Took(d.line(line)) }

func (d *disks) line(line []byte) bool {
	text := string(line)
	if diskBanner.MatchString(text) { // repeated for each report
		d.banner = true
		return true
	}
	if found := diskNames.FindStringSubmatch(text); found != nil && d.banner {
		d.zone, d.stamped, d.banner = found[1], found[1] != "", false
		return true
	}
	fields := strings.Fields(text)
	want := 1 + len(diskColumns)
	if d.stamped {
		want += stampFields
	}
	if d.banner || len(fields) != want {
		return false
	}
	for _, field := range fields[1 : 1+len(diskColumns)] {
		if _, err := strconv.ParseInt(field, 10, 64); err != nil { // in flight can be negative
			return false
		}
	}
	var at capture.Moment
	if d.stamped {
		wall, err := time.Parse("2006-01-02 15:04:05", strings.Join(fields[want-stampFields:], " "))
		if err != nil {
			return false
		}
		at = capture.At(wall, d.zone)
	}
	d.take(fields[0], fields[1:1+len(diskColumns)], at)
	return true
}

func (d *disks) take(name string, values []string, at capture.Moment) {
	if _, known := d.values[name]; known {
		d.repeats++
	} else if len(d.names) == maxDisks {
		d.left++
		return
	} else {
		d.names = append(d.names, name)
	}
	d.values[name], d.at[name], d.last = values, at, name
}

// End implements capture.Reader.
func (d *disks) End() (capture.Found, error) {
	var found capture.Found
	for _, name := range d.names {
		if d.Cut && name == d.last {
			found.Notes = append(found.Notes, cutOff("disk"))
			continue
		}
		for i, column := range diskColumns {
			found.Facts = append(found.Facts, capture.Fact{
				Source: "vmstat -d", Name: fmt.Sprintf("procps.disk.%s.%s", name, column), Value: d.values[name][i], At: d.at[name],
			})
		}
	}
	if len(found.Facts) == 0 {
		return capture.Found{}, fmt.Errorf("it has no disks")
	}
	found.Notes = append(found.Notes, d.notes()...)
	return found, nil
}

func (d *disks) notes() []record.Note {
	var notes []record.Note
	if d.repeats > 0 {
		notes = append(notes, leftOut("each number is a total since boot: %d earlier lines of the same disks are left out", d.repeats))
	}
	if d.left > 0 {
		notes = append(notes, leftOut("%d lines of further disks are left out: %d disks are kept", d.left, maxDisks))
	}
	return notes
}
