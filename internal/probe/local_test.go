package probe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/unit"
)

// sliced returns a result whose steps have the given medians in their slices, in microseconds.
func sliced(medians map[string][]int) *Result {
	r := &Result{Slices: 6, Target: Target{Direct: true}}
	for _, s := range steps {
		var results []fio.Result
		for _, us := range medians[s.Name] {
			each := time.Duration(us) * time.Microsecond
			result := fio.Result{Name: s.Name, Read: operations(100, each, s.Block)}
			if s.Pattern.Writes() {
				result = fio.Result{Name: s.Name, Write: operations(100, each, s.Block)}
			}
			if s.Durable {
				result.Sync = fio.Histogram{each: 100}
			}
			results = append(results, result)
		}
		if results != nil {
			r.Steps = append(r.Steps, newMeasurement(s, results, 1))
			r.Slices = len(results)
		}
	}
	return r
}

// local is an SSD with a volatile cache: its writes are fast, its durable writes are not.
var local = map[string][]int{
	Read1: {105, 101, 110, 103, 104, 106}, Write1: {20, 21, 22, 20, 21, 23},
	Commit: {450, 430, 470, 440, 450, 460}, Group: {520, 500, 540, 510, 520, 530}, Flush: {420, 410, 430, 420, 420, 420},
}

// with returns the local disk's medians with other ones for a step.
func with(step string, medians ...int) map[string][]int {
	all := map[string][]int{}
	for name, values := range local {
		all[name] = values
	}
	all[step] = medians
	return all
}

func TestVolumesFasterThanTheirDisk(t *testing.T) {
	longhorn := map[string][]int{
		Read1: {300, 310, 290, 300, 300, 305}, Write1: {900, 910, 920, 900, 900, 905},
		Commit: {1500, 1490, 1510, 1500, 1500, 1500}, Group: {1800, 1790, 1810, 1800, 1800, 1800}, Flush: {20, 20, 20, 20, 20, 20},
	}
	for name, try := range map[string]struct {
		volume map[string][]int
		change func(*Result)
		rules  []string
	}{
		"honest":                     {longhorn, nil, nil},
		"the disk itself":            {local, nil, nil},
		"cached reads":               {with(Read1, 60, 58, 63, 60, 61, 62), nil, []string{"cached-reads"}},
		"one slice overlaps":         {with(Read1, 60, 58, 101, 60, 61, 62), nil, nil},
		"early commits":              {with(Commit, 80, 90, 85, 80, 80, 80), nil, []string{"early-acknowledgement"}},
		"early large commits":        {with(Group, 80, 90, 85, 80, 80, 80), nil, []string{"early-acknowledgement"}},
		"nothing to flush":           {with(Flush, 2, 2, 2, 2, 2, 2), nil, nil},
		"writes into a cache":        {with(Write1, 5, 5, 5, 5, 5, 5), func(r *Result) { r.Target.WriteCache = "write back" }, nil},
		"a cache of its own":         {with(Write1, 5, 5, 5, 5, 5, 5), nil, nil},
		"writes said to be stored":   {with(Write1, 5, 5, 5, 5, 5, 5), func(r *Result) { r.Target.WriteCache = "write through" }, []string{"early-acknowledgement"}},
		"five slices":                {with(Read1, 60, 58, 63, 60, 61), nil, []string{"cached-reads"}},
		"four slices":                {map[string][]int{Read1: {60, 58, 63, 60}}, nil, []string{"local-undecided"}},
		"through the page cache":     {with(Read1, 1, 1, 1, 1, 1, 1), func(r *Result) { r.Target.Direct = false }, nil},
		"commits by the page cache":  {with(Commit, 5, 5, 5, 5, 5, 5), func(r *Result) { r.Target.Direct = false }, []string{"early-acknowledgement"}},
		"reads only, as of a device": {map[string][]int{Read1: {60, 58, 63, 60, 61, 62}}, nil, []string{"cached-reads"}},
	} {
		r := sliced(try.volume)
		if try.change != nil {
			try.change(r)
		}
		r.Local = compareSteps(r, Target{Direct: true}, sliced(local).Steps)
		if got := rules(r.Local.notes(r)); !slices.Equal(got, try.rules) {
			t.Errorf("%s: got %v, want %v: %+v", name, got, try.rules, r.Local.Comparisons)
		}
	}
}

func rules(notes []Note) (all []string) {
	for _, n := range notes {
		all = append(all, n.Rule)
	}
	return all
}

// TestNotesOfALyingVolume checks the figures in the notes.
func TestNotesOfALyingVolume(t *testing.T) {
	volume := with(Read1, 60, 58, 63, 60, 61, 62)
	volume[Commit] = []int{1200, 1300, 1250, 1250, 1250}
	r := sliced(volume)
	disk := with(Commit, 2400, 2300, 2500, 2400, 2400)
	r.Local = compareSteps(r, Target{Direct: true}, sliced(disk).Steps)
	notes := r.Local.notes(r)
	if len(notes) != 2 || notes[0].Hint == "" || notes[1].Hint == "" {
		t.Fatalf("notes %+v", notes)
	}
	for i, want := range []string{
		": random read 60.6us (58us to 63us), local disk 105us (101us to 110us)",
		": 8 KiB + fdatasync 1.25ms (1.2ms to 1.3ms), local disk 2.4ms (2.3ms to 2.5ms)",
	} {
		if !strings.HasSuffix(notes[i].Text, want) {
			t.Errorf("got %s, want %s", notes[i].Text, want)
		}
	}
	if none := (*Local)(nil).notes(r); none != nil {
		t.Errorf("without a local disk: %+v", none)
	}
}

// TestVolumesFasterThanAModel checks that a model needs a larger difference: it has no interval.
func TestVolumesFasterThanAModel(t *testing.T) {
	us := func(n int) device.Latency {
		return device.Latency{Median: unit.Duration(n) * unit.Duration(time.Microsecond)}
	}
	model := device.Device{Name: "ssd", Read: us(100), Write: us(20), WriteCache: true, Flush: us(400)}
	for name, try := range map[string]struct {
		volume map[string][]int
		change func(*Result)
		rules  []string
	}{
		"the disk itself":          {map[string][]int{Read1: {95, 96, 97}, Commit: {400, 410, 405}, Write1: {19, 19, 19}}, nil, nil},
		"barely faster reads":      {map[string][]int{Read1: {81, 81, 81}}, nil, nil},
		"cached reads":             {map[string][]int{Read1: {70, 79, 75}}, nil, []string{"cached-reads"}},
		"early commits":            {map[string][]int{Commit: {100, 110, 105}}, nil, []string{"early-acknowledgement"}},
		"writes said to be stored": {map[string][]int{Write1: {10, 11, 12}}, func(r *Result) { r.Target.WriteCache = "write through" }, []string{"early-acknowledgement"}},
		"writes into a cache":      {map[string][]int{Write1: {10, 11, 12}}, nil, nil},
		"two slices":               {map[string][]int{Read1: {10, 11}}, nil, []string{"local-undecided"}},
		"not of group commits":     {map[string][]int{Group: {10, 11, 12}}, nil, nil},
	} {
		r := sliced(try.volume)
		if try.change != nil {
			try.change(r)
		}
		r.Local = compareModel(r, model)
		if got := rules(r.Local.notes(r)); !slices.Equal(got, try.rules) {
			t.Errorf("%s: got %v, want %v: %+v", name, got, try.rules, r.Local.Comparisons)
		}
	}
	r := sliced(map[string][]int{Read1: {10, 11, 12}})
	r.Local = compareModel(r, model)
	if text := r.Local.notes(r)[0].Text; !strings.HasSuffix(text, ": random read 11us (10us to 12us), local disk 100us") {
		t.Errorf("got %s", text)
	}
	if l := compareModel(r, device.Device{Name: "nothing"}); len(l.Comparisons) != 0 {
		t.Errorf("with a model without latencies: %+v", l.Comparisons)
	}
}
