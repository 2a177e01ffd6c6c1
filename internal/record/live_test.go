package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
)

const liveFile = "running/live.jsonl"

func point(second float64) record.Point {
	return record.Point{Second: second, TPS: 100 * second, LatencyMS: 1.5, Failures: int64(second)}
}

// watched wraps a reader of the run in progress with checks.
type watched struct {
	t      *testing.T
	reader *record.LiveReader
}

func (w watched) expect(restarted bool, seconds ...float64) {
	w.t.Helper()
	var want []record.Point
	for _, s := range seconds {
		want = append(want, point(s))
	}
	got, again, err := w.reader.Read()
	if err != nil || again != restarted || !reflect.DeepEqual(got, want) {
		w.t.Errorf("read %v, restarted %v, %v\nwant %v, %v", got, again, err, want, restarted)
	}
}

func TestLiveReader(t *testing.T) {
	w := newRecord(t, t.TempDir())
	watch := watched{t, record.NewLiveReader(w.Path())}
	defer func() { must(t, watch.reader.Close()) }()
	watch.expect(false) // no run yet

	pending, err := w.Begin(runID("disk", 1))
	must(t, err)
	watch.expect(false)
	must(t, pending.Live(point(1)))
	must(t, pending.Live(point(2)))
	watch.expect(false, 1, 2)
	watch.expect(false)
	must(t, pending.Live(point(3)))
	watch.expect(false, 3)
	must(t, pending.Commit(newRun(runID("disk", 1), 1), record.Points{}))
	watch.expect(true)
	watch.expect(false)

	pending, err = w.Begin(runID("disk", 2))
	must(t, err)
	must(t, pending.Live(point(1)))
	watch.expect(false, 1)
	must(t, pending.Drop())
	// The next run starts at once with a file of the same size: the reader has not seen the gap
	// in between.
	pending, err = w.Begin(runID("disk", 3))
	must(t, err)
	must(t, pending.Live(point(1)))
	watch.expect(true, 1)
	must(t, pending.Drop())
}

// TestLiveReaderLeavesHalfALine checks that a partial line is not read until it is complete.
func TestLiveReaderLeavesHalfALine(t *testing.T) {
	w := newRecord(t, t.TempDir())
	_, err := w.Begin(runID("disk", 1))
	must(t, err)
	watch := watched{t, record.NewLiveReader(w.Path())}
	defer func() { must(t, watch.reader.Close()) }()
	add := func(text string) {
		file, err := os.OpenFile(filepath.Join(w.Path(), liveFile), os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = file.WriteString(text)
		must(t, errors.Join(err, file.Close()))
	}
	add(`{"second":1,"tps":100,"latency_ms":1.5,"failures":1}` + "\n" + `{"second":2,"tps":20`)
	watch.expect(false, 1)
	watch.expect(false)
	add(`0,"latency_ms":1.5,"failures":2}`)
	watch.expect(false)
	add("\n")
	watch.expect(false, 2)
}

// readLive returns the points of the run in progress, starting at index from.
func readLive(path string, from int) ([]record.Point, error) {
	l := record.NewLiveReader(path)
	points, _, err := l.Read()
	err = errors.Join(err, l.Close())
	return points[min(max(from, 0), len(points)):], err
}

func TestReadLive(t *testing.T) {
	w := newRecord(t, t.TempDir())
	if points, err := readLive(w.Path(), 3); err != nil || len(points) > 0 {
		t.Errorf("no run: %v, %v", points, err)
	}
	pending, err := w.Begin(runID("disk", 1))
	must(t, err)
	for s := range 3000 { // more than one chunk
		must(t, pending.Live(point(float64(s))))
	}
	for from, want := range map[int]int{0: 3000, -1: 3000, 2999: 1, 3000: 0, 4000: 0} {
		points, err := readLive(w.Path(), from)
		if err != nil || len(points) != want || want > 0 && points[0] != point(float64(3000-want)) {
			t.Errorf("from %d: %d points, %v; want %d", from, len(points), err, want)
		}
	}
}

func TestReadLiveRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage damage
		want   string
	}{
		{"not JSON", write(liveFile, "x\n"), "running/live.jsonl: invalid character"},
		{"not a point", write(liveFile, "[1]\n"), "running/live.jsonl: json: cannot unmarshal"},
		{"too fast", write(liveFile, `{"tps":1e300}`+"\n"), "1e+300 is not a valid measurement"},
		{"negative", write(liveFile, `{"latency_ms":-1}`+"\n"), "-1 is not a valid measurement"},
		{"an endless line", write(liveFile, strings.Repeat("1", 1<<20)), "a line is too long"},
		{"huge", grow(liveFile, 257<<20), "more than plinth ever writes"},
		{"a directory", becomeDir(liveFile), "not a regular file"},
		{"a FIFO", become(fifo, liveFile), "not a regular file"},
		{"a symlink out of the record", become(symlink, liveFile), "path escapes from parent"},
		{"running is a symlink out of the record", become(symlink, "running"), "path escapes from parent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRecord(t, t.TempDir())
			_, err := w.Begin(runID("disk", 1))
			must(t, err)
			c.damage(t, w.Path())
			if points, err := readLive(w.Path(), 0); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("read %v, %v; want ... %s", points, err, c.want)
			}
		})
	}
	if _, err := readLive(filepath.Join(t.TempDir(), "gone"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record that is not there: %v", err)
	}
}

// TestLiveReaderReadsAllInOrder checks that every point of a run is read once and in order,
// however reads and writes interleave.
func TestLiveReaderReadsAllInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, "running"), 0o755))
		var text bytes.Buffer
		var want []record.Point
		for s := range rapid.IntRange(0, 20).Draw(rt, "points") {
			fmt.Fprintf(&text, `{"second":%d,"tps":%d,"latency_ms":1.5,"failures":%d}`+"\n", s, 100*s, s)
			want = append(want, point(float64(s)))
		}
		reader := record.NewLiveReader(dir)
		defer func() { must(t, reader.Close()) }()
		var got []record.Point
		for written := 0; ; {
			points, restarted, err := reader.Read()
			if err != nil || restarted {
				rt.Fatalf("restarted %v, %v", restarted, err)
			}
			got = append(got, points...)
			if written == text.Len() {
				break
			}
			n := rapid.IntRange(1, text.Len()-written).Draw(rt, "bytes")
			file, err := os.OpenFile(filepath.Join(dir, liveFile), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			must(t, err)
			_, err = file.Write(text.Bytes()[written : written+n])
			must(t, errors.Join(err, file.Close()))
			written += n
		}
		if !slices.Equal(got, want) {
			rt.Errorf("read %v\nwant %v", got, want)
		}
	})
}
