package page

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// The order is that of RoomRule.
func TestOrder(t *testing.T) {
	calm := experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}
	read := experiment.Cell{Workload: "select-only", Clients: 4, Threads: 1}
	broken := func(run made, rule string) made {
		run.Status, run.Reasons = record.Invalid, []record.Note{{Rule: rule}}
		return run
	}
	rec := written(t,
		madeRun("disk", calm, 1, 10), madeRun("memory", calm, 1, 20), // 1
		madeRun("disk", busy, 1, 100), madeRun("memory", busy, 1, 190), // 3
		madeRun("disk", busy, 2, 100), madeRun("memory", busy, 2, 150), // 5: the median effect
		madeRun("memory", busy, 3, 110), madeRun("disk", busy, 3, 100), // 7
		broken(madeRun("disk", calm, 2, 10), "steal"), broken(madeRun("memory", calm, 2, 20), "steal"), // 9
		broken(madeRun("disk", calm, 3, 10), "throttled"),            // 11
		madeRun("disk", read, 1, 10), madeRun("memory", read, 1, 10), // 12
	)
	counted, _ := record.Counted([]string{"disk", "memory"}, rec.Runs)
	var got []int
	for _, run := range byInterest(rec, counted) {
		got = append(got, run.Number)
	}
	if want := []int{12, 13, 5, 6, 9, 11, 1, 2, 3, 4, 7, 8, 10}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// One environment has no effect: its median TPS decides.
func TestOrderOfOneEnvironment(t *testing.T) {
	rec := written(t, madeRun("disk", busy, 1, 300), madeRun("disk", busy, 2, 0), madeRun("disk", busy, 3, 200))
	counted, _ := record.Counted([]string{"disk"}, rec.Runs)
	if first := byInterest(rec, counted)[0]; first.Number != 3 {
		t.Errorf("run %d is first", first.Number)
	}
}

// The details of a small record are all there; of any record, no more than fit.
func TestChooseKeepsTheLimit(t *testing.T) {
	var all []made
	for n := range 12 {
		all = append(all, madeRun([]string{"disk", "memory"}[n%2], busy, 1+n/2, float64(100+n)))
	}
	rec := written(t, all...)
	counted, _ := record.Counted(environments(rec), rec.Runs)
	tables := func(d *Detail, run *record.Run) { d.Tables = "<p>" + strings.Repeat("table ", 500) + run.Path() }
	_, whole := Choose(rec, counted, DetailsLimit, tables)
	if whole.Included != len(rec.Runs) {
		t.Fatalf("%d of %d runs fit", whole.Included, len(rec.Runs))
	}
	for limit, want := range map[int]int{0: 0, 1: 0, whole.Used / 2: whole.Included / 2, whole.Used - 1: whole.Included - 1, whole.Used: whole.Included} {
		details, room := Choose(rec, counted, limit, tables)
		data, err := json.Marshal(details)
		must(t, err)
		if extra := len(data) - room.Used; extra < 0 || extra > len("[]") || room.Used > limit {
			t.Errorf("limit %d: %d bytes, %+v", limit, len(data), room)
		}
		if n := room.Included; n != len(details) || n < want-1 || n > want || room.Of != len(rec.Runs) || room.Limit != limit {
			t.Errorf("limit %d: %d details, %+v; want %d", limit, len(details), room, want)
		}
		for i, run := range byInterest(rec, counted)[:len(details)] {
			if details[i].Path != RunPath(run.RunID) || !strings.HasSuffix(details[i].Tables, run.Path()) {
				t.Errorf("detail %d is %s, want %s", i, details[i].Path, run.Path())
			}
		}
	}
}

// Whatever a record is like, its details are JSON, and its runs are drawn.
func TestChooseAnyRecord(t *testing.T) {
	for name, runs := range map[string]int{"empty": 0, "mixed": 12, "hostile": 12} {
		t.Run(name, func(t *testing.T) {
			rec := madeRecord(t, name)
			counted, _ := record.Counted(environments(rec), rec.Runs)
			details, room := Choose(rec, counted, DetailsLimit, noTables)
			if _, err := json.Marshal(Data{Details: details, Room: room, Runs: Runs(rec, counted)}); err != nil || room.Included != len(details) || len(rec.Runs) != runs {
				t.Errorf("%d runs, %+v, %v", len(rec.Runs), room, err)
			}
			for _, d := range details {
				failed := FindRun(rec, d.Path).Status == record.Failed // such a one has no points
				if failed != (d.Missing != "") || failed != (len(d.Tracks) < 2) || failed != (d.Heat == nil) {
					t.Errorf("%s has %d tracks, heat %v, %s", d.Path, len(d.Tracks), d.Heat, d.Missing)
				}
			}
		})
	}
}
