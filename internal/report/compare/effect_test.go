package compare_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// line returns the cells of the first row of a comparison's table, and of the line below it.
func line(t interface {
	Helper()
	Fatal(...any)
}, v record.Verdict) (first, second []string) {
	t.Helper()
	var b strings.Builder
	c := Report(v)
	c.Sentences = nil
	if err := summary.WriteComparison(&b, c, "markdown", summary.Options{}); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(b.String(), "--|\n")
	lines := strings.Split(rows, "\n")
	split := func(line string) []string {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return cells
	}
	return split(lines[0]), split(lines[1])
}

func TestEffects(t *testing.T) {
	const ms = 1e6
	share := func(v *record.Verdict) { v.Metric, v.Difference = "p99-under-10ms", true; v.Effect = v.B - v.A }
	p99 := func(v *record.Verdict) { v.Metric = "p99" }
	same := func(*record.Verdict) {}
	for _, c := range []struct {
		a, b, low, high float64
		change          func(*record.Verdict)
		want            string // baseline, other, effect, interval
	}{
		{1000, 1180, 0.12, 0.25, same, "1,000 1,180 +18 % 12 to 25 %"},
		{1000, 996, -0.012, 0.003, same, "1,000 996 -0.4 % -1.2 to 0.3 %"},
		{1000, 999.5, -0.0012, 0.0003, same, "1,000 1,000 -0.05 % -0.12 to 0.03 %"},
		{1000, 600, -0.45, -0.36, same, "1,000 600 -40 % -45 to -36 %"},
		{1000, 1000, -0.04, 0.004, same, "1,000 1,000 0.0 % -4.0 to 0.4 %"},
		{1000, 12400, 10.1, 13, same, "1,000 12,400 x 12.4 x 11.1 to 14.0"},
		{1000, 10000, 8.5, 8.99, same, "1,000 10,000 +900 % 850 to 899 %"},
		{1000, 6000, 2, 15, same, "1,000 6,000 x 6.00 x 3.00 to 16.0"},
		{1000, 6000, 0.001, 15, same, "1,000 6,000 x 6.00 x 1.0010 to 16.0"},
		{1000, 5, -0.997, -0.993, same, "1,000 5 x 0.00500 x 0.00300 to 0.00700"},
		{1000, 1100, 0.0004, 0.2, same, "1,000 1,100 +10.00 % 0.04 to 20.00 %"},
		{1000, 1001, -0.0288, 0.0304, same, "1,000 1,001 +0.10 % -2.88 to 3.04 %"},
		{13.41 * ms, 9.21 * ms, -0.38, -0.24, p99, "13.41 ms 9.21 ms -31 % -38 to -24 % -4.2 ms -5.1 to -3.2 ms"},
		{0.05 * ms, 0.06 * ms, 0.1, 0.3, p99, "0.050 ms 0.060 ms +20 % 10 to 30 % +0.010 ms 0.005 to 0.015 ms"},
		{0.913, 0.952, 0.021, 0.058, share, "91.3 % 95.2 % +3.9 pp 2.1 to 5.8 pp"},
		{0, 1, 0.9, 1, share, "0 % 100 % +100 pp 90 to 100 pp"},
		{0, 0.0004, -0.0001, 0.0011, share, "0 % 0.040 % +0.04 pp -0.01 to 0.11 pp"},
	} {
		v := ratio("w", c.a, c.b, c.low, c.high, 24, record.Better)
		c.change(&v)
		first, second := line(t, v)
		got := strings.Join(append(first[1:5], second[min(3, len(second)):]...), " ")
		if got = strings.Join(strings.Fields(got), " "); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", v, got, c.want)
		}
	}
}

// TestPrintedEndsAgreeWithTheWord checks that rounding moves no end of an interval across zero
// or the margin, from which the verdict follows.
func TestPrintedEndsAgreeWithTheWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-0.5, 0.5).Draw(t, "low")
		high := low + rapid.Float64Range(0, 0.3).Draw(t, "width")
		first, _ := line(t, ratio("w", 1000, 1000*(1+(low+high)/2), low, high, 24, record.Inconclusive))
		text, _, _ := strings.Cut(first[4], " %")
		from, to, _ := strings.Cut(text, " to ")
		for printed, is := range map[string]float64{from: low, to: high} {
			looks, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				t.Fatal(err)
			}
			for _, bound := range []float64{0, 3, 100/1.03 - 100} {
				if off := is*100 - bound; math.Abs(off) > 0.001 && off*(looks-bound) <= 0 {
					t.Fatalf("%s for %g, on the other side of %g", printed, is*100, bound)
				}
			}
		}
	})
}

// TestLevels checks that a common level is in the heading, and different levels are in the
// rows.
func TestLevels(t *testing.T) {
	head := func(c *verdict.Comparison) string {
		text := reporttest.Compared(t, c, "markdown", summary.Options{})
		return text[strings.Index(text, "| Workload"):]
	}
	if text := head(oneCell()); !strings.Contains(text, "| 97.5 % interval |") {
		t.Error(text)
	}
	text := head(mixed())
	for _, want := range []string{"| Interval or range | Level |", "| 5 to 15 % | range |", "| x 11,001 to 15,001 | 98.33 % |", "| 97.5 % |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
