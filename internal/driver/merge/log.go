package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/latency"
	"plinth/internal/record"
	"plinth/internal/record/hlog"
)

// longestLog is how much of a histogram log is read, in bytes: as of a record. The rest of a longer
// one is left out, with a warning: a run of many hours must not be lost for it, and its result has
// all latencies.
const longestLog = 64 << 20

// piece is one interval of one part's log.
type piece struct {
	hlog.Interval
	micros int64 // its start
	script int   // index of its tag; 0 if there is only one script
	part   int
}

// logs merges histogram logs: intervals of the same start and tag become one.
type logs struct {
	tags     []string // of the scripts; one empty tag if there is only one script
	pieces   []piece
	decoders []hlog.Decoder
	totals   []int64 // latencies in each part's log
	cut      []bool  // the parts whose log is longer than longestLog

	one, second *latency.Counts // of the interval, and of the second
}

// mergeLogs writes the merged log, and the percentiles of the seconds that it covers. The outcome
// gets a problem for each part whose log does not have the latencies of its result, such as one that
// was truncated on its way here, and a warning if the log was too long to be read whole.
func mergeLogs(parts []Part, o *driver.Outcome, t *table, keep driver.Keeper) error {
	l := &logs{decoders: make([]hlog.Decoder, len(parts)), totals: make([]int64, len(parts)), cut: make([]bool, len(parts)),
		one: latency.New(), second: latency.New()}
	for _, s := range o.Result.Scripts {
		l.tags = append(l.tags, latency.TagOf(s.Name))
	}
	if len(l.tags) == 0 {
		l.tags = []string{""}
	}
	for i, p := range parts {
		if err := l.read(i, p); err != nil {
			return fmt.Errorf("cannot read the histogram log of %s: %w", who(p.Name), err)
		}
	}
	slices.SortStableFunc(l.pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.micros, b.micros), cmp.Compare(a.script, b.script))
	})
	if err := l.write(parts, o, t, keep); err != nil {
		return err
	}
	return l.lost(parts, o)
}

// read reads the lines of a part's log.
func (l *logs) read(part int, p Part) error {
	if p.Log == nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(p.Log, longestLog+1))
	if err != nil {
		return err
	}
	if len(text) > longestLog {
		text, l.cut[part] = text[:longestLog], true
	}
	intervals, err := hlog.Read(text)
	if err != nil {
		return err
	}
	for _, one := range intervals {
		script := slices.Index(l.tags, one.Tag)
		if script < 0 {
			return fmt.Errorf("no script has the tag %q", one.Tag)
		}
		if one.Start < 0 {
			return errors.New("an interval begins before the window")
		}
		l.pieces = append(l.pieces, piece{one, int64(math.Round(one.Start * 1e6)), script, part})
	}
	return nil
}

// write writes the merged log.
func (l *logs) write(parts []Part, o *driver.Outcome, t *table, keep driver.Keeper) error {
	f, err := keep.CreateHistogramLog()
	if err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", err)
	}
	defer f.Close()
	log := latency.NewLog(f)
	if !o.Begin.IsZero() {
		log.Begin(o.Driver.Program, o.Begin)
	}
	for left := l.pieces; len(left) > 0; {
		n := 0
		for n < len(left) && left[n].micros == left[0].micros {
			n++
		}
		if err := l.writeStart(log, left[:n], parts, t); err != nil {
			return err
		}
		left = left[n:]
	}
	if err := log.Close(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", err)
	}
	return nil
}

// writeStart merges the intervals of one start, script by script.
func (l *logs) writeStart(log *latency.Log, pieces []piece, parts []Part, t *table) error {
	whole := pieces[0].micros%int64(time.Second/time.Microsecond) == 0
	second := int(pieces[0].micros / int64(time.Second/time.Microsecond))
	l.second.Reset()
	for len(pieces) > 0 {
		first, length := pieces[0], 0.0
		l.one.Reset()
		for len(pieces) > 0 && pieces[0].script == first.script {
			if err := l.add(pieces[0]); err != nil {
				return fmt.Errorf("cannot read the histogram log of %s: %w", who(parts[pieces[0].part].Name), err)
			}
			length = max(length, pieces[0].Length)
			pieces = pieces[1:]
		}
		log.Interval(first.Tag, first.Start, length, l.one)
		if whole && len(l.tags) > 1 {
			t.percentiles(second, first.script+1, l.one)
		}
		l.second.Merge(l.one)
	}
	if whole {
		t.percentiles(second, 0, l.second)
	}
	return nil
}

// add adds an interval to the open one.
func (l *logs) add(p piece) error {
	before := l.one.Total()
	var refused error
	err := l.decoders[p.part].Decode(p.Text, func(index int, n int64) {
		if refused == nil {
			refused = l.one.AddBucket(index, n)
		}
	})
	l.totals[p.part] += l.one.Total() - before
	return errors.Join(err, refused)
}

// lost compares the latencies of each log with those of the result.
func (l *logs) lost(parts []Part, o *driver.Outcome) error {
	for i, p := range parts {
		h, err := p.Outcome.Result.Latency.Decode()
		if err != nil {
			return fmt.Errorf("cannot merge the outcome of %s: %w", who(p.Name), err)
		}
		got, want := l.totals[i], h.TotalCount()
		switch {
		case l.cut[i]:
			o.Warnings = append(o.Warnings, record.Note{Rule: "generator-log",
				Text: fmt.Sprintf("the histogram log of %s is longer than %d MiB: only %d of %d latencies are known by the second", who(p.Name), longestLog>>20, got, want),
				Hint: "use shorter runs to see the latency of each second"})
		case got != want:
			o.Problems = append(o.Problems, record.Note{Rule: "generator-log",
				Text: fmt.Sprintf("the histogram log of %s has %d latencies, its result %d", who(p.Name), got, want),
				Hint: "check the connection to its machine, and the free space there"})
		}
	}
	return nil
}
