package page

import (
	"os"
	"testing"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
)

func TestRuns(t *testing.T) {
	good, failed := madeRun("disk", busy, 1, 100), madeRun("memory", busy, 1, 0)
	good.columns = []record.Column{column("second", -1, 0, 1, 2), column("tps", 5, 100, nan, 300)}
	failed.Status, failed.columns = record.Failed, nil
	failed.Reasons = []record.Note{{Rule: "crash", Text: "the server went away"}}
	damaged := madeRun("disk", busy, 2, 50)
	rec := written(t, good, failed, damaged)
	must(t, os.Truncate(pointsPath(rec, 2), 30))
	runs := Runs(rec, rec.Runs[:1])
	if r := runs[0]; r.Path != "disk/tpcb-like/c8-j2/r01" || !r.Counted || r.TPS != 100 || r.Number != 1 {
		t.Errorf("%+v", r)
	}
	// The warm-up is not part of it.
	if o := runs[0].Overview; o == nil || o.Step != 1 || !equal(o.Low, []float64{100, nan, 300}) || !equal(o.High, []float64{100, nan, 300}) {
		t.Errorf("%+v", o)
	}
	if r := runs[1]; r.Counted || r.Overview != nil || r.Status != record.Failed || len(r.Reasons) != 1 {
		t.Errorf("%+v", r)
	}
	if r := runs[2]; r.Overview != nil || r.TPS != 50 {
		t.Errorf("%+v", r)
	}
	for i := range runs {
		if FindRun(rec, runs[i].Path) != &rec.Runs[i] {
			t.Errorf("%s is not found", runs[i].Path)
		}
	}
	if found := FindRun(rec, "disk/tpcb-like/c8-j2/r09"); found != nil {
		t.Errorf("found %s", found.Path())
	}
}

// An hour's stall of one second is there in its overview, and its spikes as well.
func TestOverviewKeepsExtremes(t *testing.T) {
	rec := madeRecord(t, "long")
	points, err := rec.Points(&rec.Runs[0])
	must(t, err)
	low, high := 1e300, -1e300
	for i, second := range points.Columns[0].Values {
		if tps := points.Columns[1].Values[i]; second >= 0 {
			low, high = min(low, tps), max(high, tps)
		}
	}
	o := Runs(rec, nil)[0].Overview
	least, greatest := o.Low[0], o.High[0]
	for i := range o.Low {
		least, greatest = min(least, o.Low[i]), max(greatest, o.High[i])
	}
	if points.Columns[1].Name != "tps" || float64(least) != low || float64(greatest) != high || len(o.Low) > overviewSteps {
		t.Errorf("%d buckets of %v to %v; want %g to %g", len(o.Low), least, greatest, low, high)
	}
}

// madeRecord is one of the records that pages are tried with.
func madeRecord(tb testing.TB, name string) *record.Record {
	tb.Helper()
	dir, err := pagetest.Make(tb.TempDir(), name)
	must(tb, err)
	rec, err := record.Open(dir)
	must(tb, err)
	return rec
}
