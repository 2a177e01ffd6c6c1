package fio

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/hint"
)

const captured = "testdata/fio-3.33.json"

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestParseCaptured(t *testing.T) {
	results, err := Parse(read(t, captured))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name                string
		reads, writes, sync int64
		bytes               int64
		time                time.Duration
		cpu                 float64
	}{
		{"commit", 0, 17, 17, 0, 0, 0.075},
		{"read-16", 388, 0, 0, 3178496, 41 * time.Millisecond, 0.05},
		{"mixed", 69, 33, 0, 565248, 62 * time.Millisecond, 0.01639344},
		{"sustained", 2575850, 0, 0, 21101363200, 2202 * time.Millisecond, 0.6914337700000001},
	} {
		r := results[i]
		if r.Name != want.name || r.Read.Operations != want.reads || r.Write.Operations != want.writes || r.Sync.Count() != want.sync {
			t.Errorf("%+v: got %s, %d reads, %d writes, %d syncs", want, r.Name, r.Read.Operations, r.Write.Operations, r.Sync.Count())
		}
		if r.Read.Bytes != want.bytes || r.Read.Time != want.time {
			t.Errorf("%s: got %d bytes in %s", r.Name, r.Read.Bytes, r.Read.Time)
		}
		if math.Abs(r.CPU-want.cpu) > 1e-6 {
			t.Errorf("%s: it used %f CPUs", r.Name, r.CPU)
		}
		if r.Read.Latency.Count() != want.reads || r.Write.Latency.Count() != want.writes {
			t.Errorf("%s: the histograms hold %d reads and %d writes", r.Name, r.Read.Latency.Count(), r.Write.Latency.Count())
		}
	}
	if got := results[1].Read.IOPS(); got < 9463 || got > 9464 { // 388 in 41 ms
		t.Errorf("read-16: %f IOPS", got)
	}
}

// TestQuantilesAreThoseOfFio compares quantiles with those that fio computed from the same
// bins.
func TestQuantilesAreThoseOfFio(t *testing.T) {
	var theirs struct {
		Jobs []map[string]json.RawMessage `json:"jobs"`
	}
	text := read(t, captured)
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	results, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, r := range results {
		for kind, h := range map[string]Histogram{"read": r.Read.Latency, "write": r.Write.Latency, "sync": r.Sync} {
			var direction struct {
				Latency struct {
					Percentile map[string]int64 `json:"percentile"`
				} `json:"lat_ns"`
			}
			if err := json.Unmarshal(theirs.Jobs[i][kind], &direction); err != nil {
				t.Fatal(err)
			}
			for name, want := range direction.Latency.Percentile {
				p, _ := strconv.ParseFloat(name, 64)
				if got := h.Quantile(p / 100); got != time.Duration(want) {
					t.Errorf("%s %s p%s: got %d, fio has %d", r.Name, kind, name, got, want)
				}
				compared++
			}
		}
	}
	if compared < 80 {
		t.Errorf("only %d quantiles were there to be compared", compared)
	}
}

func TestParseRefuses(t *testing.T) {
	const job = `{"jobs": [{"jobname": "x", "error": 0, "read": {"total_ios": 1, "runtime": 5, "lat_ns": {"bins": {"7": 1}}}}]}`
	for name, try := range map[string]struct{ old, new, want string }{
		"nothing":         {job, "", "no JSON"},
		"words":           {job, "fio: bad option\n", "no JSON"},
		"cut short":       {"}}}]}", "", "unexpected EOF"},
		"no histogram":    {`{"bins": {"7": 1}}`, "{}", "no latency histogram"},
		"negative count":  {`{"7": 1}`, `{"7": -1}`, "invalid histogram bin"},
		"negative time":   {`"7"`, `"-7"`, "invalid histogram bin"},
		"a word as a bin": {`"7"`, `"seven"`, "invalid histogram bin"},
		"negative reads":  {`"total_ios": 1`, `"total_ios": -1`, "invalid count"},
		"no runtime":      {`"runtime": 5`, `"runtime": 9223372036854775807`, "invalid count"},
	} {
		_, err := Parse([]byte(strings.Replace(job, try.old, try.new, 1)))
		if err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%s: got %v, want %q", name, err, try.want)
		}
	}
	_, err := Parse([]byte(strings.Replace(job, `"error": 0`, `"error": 28`, 1)))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a job that failed: %v", err)
	}
	_, err = Parse([]byte(strings.Replace(job, `{"bins": {"7": 1}}`, "{}", 1)))
	if hint.Of(err) != "install fio 3.16 or later" {
		t.Errorf("no histogram: hint %q", hint.Of(err))
	}
}

func TestParsePassesOverNotes(t *testing.T) {
	results, err := Parse([]byte("note: both iodepth >= 1 and synchronous I/O engine\n" + string(read(t, captured))))
	if err != nil || len(results) != 4 {
		t.Errorf("got %d results, %v", len(results), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(read(f, captured))
	f.Add([]byte(`{"jobs": [{"read": {"total_ios": 1, "lat_ns": {"bins": {"7": 1}}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		results, err := Parse(text)
		if err != nil {
			return
		}
		for _, r := range results {
			for _, d := range []Direction{r.Read, r.Write} {
				if d.IOPS() < 0 || d.Rate() < 0 || d.Latency.Quantile(0.5) > d.Latency.Quantile(0.99) {
					t.Errorf("%+v", d)
				}
			}
		}
	})
}

func TestReadSecondsOfTwoThreads(t *testing.T) {
	seconds, err := ReadSeconds("testdata/sustained")
	want := []float64{(2327072 + 2372848) * 1024, (6259520 + 6714664) * 1024}
	if err != nil || !slices.Equal(seconds, want) {
		t.Errorf("got %f, %v; want %f", seconds, err, want)
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string][]float64{
		"":                                        nil,
		"1000, 1, 0, 0, 0\n2001, 2, 0, 0, 0\n":    {1024, 2048},
		"999, 1, 0, 0, 0\n1998, 2, 0, 0, 0\n":     {1024, 2048},
		"1145, 1, 0, 0, 0\n2145, 2, 0, 0, 0\n":    {1024, 2048},
		"1000, 1, 0, 0\n3000, 3, 0, 0\n":          {1024, 0, 3072}, // a second without any
		"1000, 1, 0, 0\n1000, 2, 1, 0\n":          {3072},          // reads and writes
		"1000, 1, 0, 0, 0\n1210, 9000, 0, 0, 0\n": {9001 * 1024},
		"200, 5, 0, 0, 0\n":                       nil,
	} {
		got, err := parseSeconds([]byte(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1, 2", "x, 1, 0", "1000, -1, 0", "99999999999, 1, 0", "\n"} {
		if got, err := parseSeconds([]byte(text)); err == nil || !strings.Contains(err.Error(), "fio's log") {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	if _, err := ReadSeconds("testdata/nothing"); err == nil {
		t.Error("a log that is not there was read")
	}
}

func FuzzSeconds(f *testing.F) {
	f.Add(read(f, "testdata/sustained_bw.log"))
	f.Fuzz(func(t *testing.T, text []byte) {
		seconds, err := parseSeconds(text)
		if err == nil && len(seconds) > mostSeconds+1 {
			t.Errorf("%d seconds", len(seconds))
		}
		for _, s := range seconds {
			if s < 0 {
				t.Errorf("%f bytes in a second", s)
			}
		}
	})
}
