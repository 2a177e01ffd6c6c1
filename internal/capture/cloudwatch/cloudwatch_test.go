package cloudwatch

import (
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

// TestData checks that the metrics of an answer become columns of a table for each period, in order of time.
func TestData(t *testing.T) {
	t.Parallel()
	found := capturetest.Read(t, Kinds(), "data.json")
	if got := capturetest.Column(found, "cloudwatch.ReadIOPS"); !capturetest.Same(got, []float64{12, 1498.5, 1501.25}) {
		t.Errorf("IOPS %v", got)
	}
	if len(found.Series) != 2 || found.Series[1].Interval != 120 || !capturetest.Same(found.Series[1].Columns[0].Values, []float64{99, 93.5}) {
		t.Errorf("balance: %+v", found.Series)
	}
	if s := found.Series[0]; s.Interval != 60 || s.Times[0].String() != "2026-11-30 10:01:00 UTC" {
		t.Errorf("a period of %g s, the first of which ends at %s", s.Interval, s.Times[0])
	}
	if notes := capturetest.Notes(found); !slices.Equal(notes, []string{"import-cut: BurstBalance is not complete (PartialData)"}) {
		t.Errorf("%q", notes)
	}
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	found := capturetest.Read(t, Kinds(), "statistics.json")
	if got := capturetest.Column(found, "cloudwatch.DiskQueueDepth"); !capturetest.Same(got, []float64{3.25, 0.5}) {
		t.Errorf("means %v", got)
	}
	if got := capturetest.Column(found, "cloudwatch.DiskQueueDepth Maximum"); !capturetest.Same(got, []float64{12, 7}) {
		t.Errorf("maxima %v", got)
	}
	if found.Series[0].Interval != 300 {
		t.Errorf("a period of %g s", found.Series[0].Interval)
	}
}

// TestOddAnswers checks answers on one line, without a value, of one period, and of other programs.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	one := capturetest.One(t, `{"MetricDataResults":[{"Id":"m1","Label":"","Timestamps":["2026-11-30T10:00:00Z"],"Values":[5],"StatusCode":"Complete"}],"NextToken":"x"}`+"\n", Kinds())
	if got := capturetest.Column(one, "cloudwatch.m1"); !capturetest.Same(got, []float64{5}) || len(one.Notes) != 2 {
		t.Errorf("%v, %q", got, capturetest.Notes(one))
	}
	two := capturetest.One(t, `{"MetricDataResults":[{"Id":"m1","Label":"CPU","Timestamps":["2026-11-30T10:00:00Z","2026-11-30T10:01:00Z"],"Values":[5,6]},`+
		`{"Id":"m2","Label":"CPU","Timestamps":["2026-11-30T10:00:00Z","2026-11-30T10:01:00Z"],"Values":[7,8]}]}`+"\n", Kinds())
	if got := capturetest.Column(two, "cloudwatch.CPU m2"); !capturetest.Same(got, []float64{7, 8}) || !capturetest.Same(capturetest.Column(two, "cloudwatch.CPU"), []float64{5, 6}) {
		t.Errorf("two of one label: %+v", two.Series)
	}
	for text, refused := range map[string]string{
		`{"MetricDataResults":[],"Messages":[]}`:                                                            "it has no value",
		`{"MetricDataResults":[{"Label":"x","Timestamps":["2026-11-30T10:00:00Z"],"Values":[]}]}`:           "it has no value",
		`{"MetricDataResults":{}}`:                                                                          "it is no answer",
		`{"MetricDataResults":[`:                                                                            "the text ends before",
		`{"Label":"x","Datapoints":[{"Timestamp":"yesterday","Average":1,"Unit":"Count"}]}`:                 "it has no value",
		`{"Label":"x","Datapoints":[{"Timestamp":"2026-11-30T10:00:00Z","Average":"many","Unit":"Count"}]}`: "it has no value",
	} {
		got := capturetest.Text(t, text+"\n", Kinds())
		if len(got.Sections) != 1 || got.Sections[0].Refused == nil || !strings.Contains(got.Sections[0].Refused.Error(), refused) {
			t.Errorf("%s: %+v", text, got.Sections)
		}
	}
	if got := capturetest.Text(t, "{\"Datapoints\": []}\n", Kinds()); len(got.Sections) != 0 {
		t.Errorf("without a label: %+v", got.Sections)
	}
}

func TestCutAnswers(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"data.json", "statistics.json"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		capturetest.Cut(t, Kinds(), string(text), func(capture.Fact) bool { return true })
	}
}

func FuzzCloudWatch(f *testing.F) { capturetest.Fuzz(f, Kinds()[0]) }
