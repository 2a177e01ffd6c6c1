package imported

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Limits of the points of one run, which the reader of records has, too.
const (
	maxSeconds = 7 * 24 * 3600
	maxColumns = 1500
	maxValues  = 20_000_000 // 160 MB
)

// place puts each series on the time axis of the run that it overlaps. What overlaps none becomes facts
// whose time is not known.
func (c *collection) place() {
	for _, r := range c.runs {
		c.progress(r)
	}
	c.adopt()
	for _, s := range c.series {
		if !c.placed(s) {
			c.summarise(s)
		}
	}
	for _, e := range c.events {
		c.mark(e)
	}
}

// adopt says of what was read in no directory of an environment to which runs it belongs: to those of the
// only environment, since a directory for each tool is as usual as one for each environment; or to those
// of all, if it is above their directories and time alone tells them apart.
func (c *collection) adopt() {
	var driven []string
	for _, r := range c.runs {
		driven = once(driven, r.Environment)
	}
	adopt := func(o *origin) {
		switch {
		case len(driven) == 1:
			o.environment = driven[0]
		case len(driven) > 1 && !slices.Contains(driven, o.environment):
			o.shared = c.oneAtATime() && !slices.ContainsFunc(c.runs, func(r *Run) bool { return !isBelow(o.directory, r.directory) })
		}
	}
	for i := range c.series {
		adopt(&c.series[i].origin)
	}
	for i := range c.events {
		adopt(&c.events[i].origin)
	}
}

// isBelow reports whether a directory is inside another one, and not the same. Standard input is in none.
func isBelow(root, directory string) bool {
	relative, err := filepath.Rel(root, directory)
	return root != "" && directory != "" && err == nil && relative != "." && filepath.IsLocal(relative)
}

// oneAtATime reports whether the times of all runs are known, and no two overlap.
func (c *collection) oneAtATime() bool {
	for _, r := range c.runs {
		if _, known := windowOf(r); !known {
			return false
		}
	}
	runs := slices.SortedFunc(slices.Values(c.runs), func(a, b *Run) int { return a.Began.Time.Compare(b.Began.Time) })
	for i := 1; i < len(runs); i++ {
		before := runs[i-1]
		end := before.Began.Time.Add(time.Duration(before.Result.Duration * float64(time.Second)))
		if runs[i].Began.Time.Before(end) {
			return false
		}
	}
	return true
}

// window is the time of a run.
type window struct {
	start   time.Time // when the load began
	seconds int
}

// windowOf returns the window of a run; false if its times are not known.
func windowOf(r *Run) (window, bool) {
	w := window{r.Began.Time, int(math.Ceil(r.Result.Duration - 0.05))}
	return w, r.Began.Clock == capture.UTC && w.seconds > 0 && w.seconds <= maxSeconds
}

// progress makes points of the readings that the load generator printed during the run.
func (c *collection) progress(r *Run) {
	s := r.Progress
	if rowsOf(s) == 0 {
		return
	}
	if len(s.Times) > 0 && s.Times[0].Clock == capture.UTC && r.Began.Clock == capture.NoClock {
		r.Began = s.Times[0]
		r.Began.Time = r.Began.Time.Add(-time.Duration(s.Interval * float64(time.Second)))
	}
	start := r.Began.Time
	if len(s.Times) > 0 && s.Times[0].Clock == capture.Relative {
		start = time.Unix(0, 0).UTC()
	}
	last := 0
	for _, at := range s.Times {
		last = max(last, int(math.Ceil(at.Time.Sub(start).Seconds()-0.05)))
	}
	seconds := max(last, int(math.Ceil(r.Result.Duration-0.05)))
	if len(s.Times) == 0 || seconds <= 0 || seconds > maxSeconds {
		c.note(capture.LeftOut, r.File, "the readings during the run have no times that can be used")
		return
	}
	r.Points = empty(seconds)
	fill(&r.Points, window{start, seconds}, s, func(m capture.Moment) time.Time { return m.Time })
	if s.Interval > 1.5 {
		r.Notes = append(r.Notes, record.Note{Rule: capture.Unclear,
			Text: fmt.Sprintf("the readings of %s cover %s s each: what is shorter does not show", r.Tool, strconv.FormatFloat(s.Interval, 'f', -1, 64))})
	}
}

// empty returns points of a number of seconds without a column.
func empty(seconds int) record.Points {
	second := make([]float64, seconds)
	for i := range second {
		second[i] = float64(i)
	}
	return record.Points{Columns: []record.Column{{Name: "second", Values: second}}}
}

// placed puts a series on the time axes of the runs in its environment that it overlaps, and reports
// whether there is one.
func (c *collection) placed(s series) bool {
	if len(s.Times) == 0 {
		return false
	}
	found := false
	for _, r := range c.runs {
		w, known := windowOf(r)
		if !known || !s.belongs(r) {
			continue
		}
		at := c.clock(s.Times[0], w)
		if at == nil || !overlaps(s.Series, w, at) || s.Times[0].Clock == capture.OfDay && c.anotherIsNearer(s, r) {
			continue
		}
		if len(r.Points.Columns) == 0 {
			r.Points = empty(w.seconds)
		}
		w.seconds = len(r.Points.Columns[0].Values)
		if taken := fill(&r.Points, w, s.Series, at); len(taken) > 0 {
			c.note(capture.LeftOut, s.file, "the run of %s has these columns from another file already: %s", r.File, some(taken))
		}
		c.sayClock(s, r)
		found, r.Observed = true, true
	}
	return found
}

// clock returns what turns a moment of a series into a time; nil if its clock says too little.
func (c *collection) clock(first capture.Moment, w window) func(capture.Moment) time.Time {
	zone := cmp.Or(c.known.zone, time.UTC)
	switch first.Clock {
	case capture.UTC:
		return func(m capture.Moment) time.Time { return m.Time }
	case capture.Local:
		return func(m capture.Moment) time.Time { return inZone(m.Time, m.Time, zone) }
	case capture.OfDay:
		begin := nearest(first.Time, w.start, zone)
		return func(m capture.Moment) time.Time { return begin.Add(m.Time.Sub(first.Time)) }
	}
	return nil
}

// anotherIsNearer reports whether a series with times of day, which fit a run of each day, is in the directory
// of another run.
func (c *collection) anotherIsNearer(s series, run *Run) bool {
	return s.directory != run.directory && slices.ContainsFunc(c.runs, func(r *Run) bool { return r.directory == s.directory })
}

// inZone returns the time at which clocks in a zone show the date of day and the time of day of digits.
func inZone(day, digits time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), digits.Hour(), digits.Minute(), digits.Second(), digits.Nanosecond(), zone)
}

// nearest returns the time with a time of day that is the nearest to another time.
func nearest(digits, to time.Time, zone *time.Location) time.Time {
	day := to.In(zone)
	best := inZone(day, digits, zone)
	for _, days := range []int{-1, 1} {
		if other := inZone(day.AddDate(0, 0, days), digits, zone); other.Sub(to).Abs() < best.Sub(to).Abs() {
			best = other
		}
	}
	return best
}

// sayClock says how times without a zone were read.
func (c *collection) sayClock(s series, r *Run) {
	if s.Times[0].Clock == capture.UTC {
		return
	}
	zone := "UTC, because they then overlap the run"
	if c.known.zone != nil {
		zone = c.known.zone.String() + ", as given"
	}
	c.note(capture.Unclear, s.file, "its times have no zone; they are read as %s of %s", zone, r.File)
}

// overlaps reports whether a reading of a series ends within a run.
func overlaps(s capture.Series, w window, at func(capture.Moment) time.Time) bool {
	end := w.start.Add(time.Duration(w.seconds) * time.Second)
	return slices.ContainsFunc(s.Times, func(m capture.Moment) bool {
		t := at(m)
		return t.After(w.start) && !t.After(end)
	})
}

// fill adds the columns of a series to points. A reading covers the seconds since the one before, or the
// series' interval. Readings outside the window are not used. It returns the names of columns that the
// points have already.
func fill(points *record.Points, w window, s capture.Series, at func(capture.Moment) time.Time) (taken []string) {
	type stretch struct{ from, to int } // seconds, to exclusive
	stretches := make([]stretch, len(s.Times))
	for i, m := range s.Times {
		end := at(m).Sub(w.start).Seconds()
		length := cmp.Or(s.Interval, 1)
		if i > 0 && s.Interval == 0 {
			const longest = 60
			length = min(longest, max(0, at(m).Sub(at(s.Times[i-1])).Seconds()))
		}
		stretches[i] = stretch{int(math.Ceil(end - length - 0.05)), int(math.Ceil(end - 0.05))}
	}
	for _, column := range s.Columns {
		if slices.ContainsFunc(points.Columns, func(p record.Column) bool { return p.Name == column.Name }) {
			taken = append(taken, column.Name)
			continue
		}
		if len(points.Columns) >= maxColumns || len(points.Columns)*w.seconds > maxValues {
			break
		}
		values := make([]float64, w.seconds)
		for i := range values {
			values[i] = math.NaN()
		}
		known := false
		for row, v := range column.Values[:min(len(column.Values), len(stretches))] {
			for second := max(0, stretches[row].from); second < min(w.seconds, stretches[row].to); second++ {
				values[second] = v
				known = known || !math.IsNaN(v)
			}
		}
		if known {
			points.Columns = append(points.Columns, record.Column{Name: column.Name, Values: values})
		}
	}
	return taken
}

// summarise makes a fact of each column of a series whose time is not known.
func (c *collection) summarise(s series) {
	const most = 400
	for i, column := range s.Columns {
		if i == most {
			c.note(capture.LeftOut, s.file, "%d more columns of %s are not listed", len(s.Columns)-most, s.Source)
			return
		}
		n, sum, low, high := 0, 0.0, math.Inf(1), math.Inf(-1)
		for _, v := range column.Values {
			if !math.IsNaN(v) {
				n, sum, low, high = n+1, sum+v, min(low, v), max(high, v)
			}
		}
		if n == 0 {
			continue
		}
		if len(c.facts) >= maxFacts {
			c.note(capture.LeftOut, s.file, "the means of %s are left out: there are more than %d facts in all files", s.Source, maxFacts)
			return
		}
		c.facts = append(c.facts, record.ImportedFact{
			Environment: s.environment, File: s.file, Source: s.Source, Name: column.Name,
			Value: fmt.Sprintf("mean %s, %s to %s (n = %d)", digits(sum/float64(n)), digits(low), digits(high), n), Time: spanOf(s.Series),
		})
	}
}

// spanOf returns the times of a series as they are printed; "" without any.
func spanOf(s capture.Series) string {
	if len(s.Times) == 0 {
		return ""
	}
	first, last := s.Times[0].String(), s.Times[len(s.Times)-1].String()
	if first == last {
		return first
	}
	return first + " to " + last
}

// digits prints a reading with four significant digits; whole numbers and large ones without decimals.
func digits(v float64) string {
	if size := math.Abs(v); size < 1e15 && (v == math.Trunc(v) || size >= 1000) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// some lists the first names of a list.
func some(names []string) string {
	const most = 4
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
