package chart

import (
	"encoding/binary"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
)

const hostileName = "<script>alert(1)</script> \"'&]]>\n\x00\x1b[31m\u202Etxt.exe\u202C \u200b\uFEFF\xff ünïcödé 数据库 🐘"

func TestCleanDropsWhatTurnsText(t *testing.T) {
	got := clean(hostileName)
	if want := "<script>alert(1)</script> \"'&]]> [31mtxt.exe \uFFFD ünïcödé 数据库 🐘"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, r := range got {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			t.Errorf("%q is still there", r)
		}
	}
}

func TestCut(t *testing.T) {
	for _, s := range []string{"short", strings.Repeat("long name ", 1000), strings.Repeat("数据库", 3000), "", "WWWWWWWWWWWWWWWW"} {
		got := cut(s, 12, 80)
		if textWidth(got, 12) > 80 {
			t.Errorf("%q is %v px wide", got, textWidth(got, 12))
		}
		if got != s && !strings.HasSuffix(got, "…") {
			t.Errorf("%q was cut without saying so", got)
		}
	}
}

// A name of 10 kB is shortened in the picture, complete in its title, and displaces no other
// text.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a very long name, ", 600)
	for kind, svg := range named10kB(long) {
		tree := parse(t, svg)
		if !strings.Contains(svg, "…") || !strings.Contains(svg, "<title>"+strings.TrimSpace(long)) {
			t.Errorf("%s: the name is not cut, or not there in full", kind)
		}
		inside(t, kind, tree)
		apart(t, kind, tree)
	}
}

func named10kB(name string) map[string]string {
	forest := Forest{Title: name, Unit: "%", Margin: 3, Less: name, More: name, Rows: []ForestRow{
		{Group: name, Label: name, Detail: name, Text: name, Word: name, Effect: 1, Low: 0, High: 2}, {Label: name, Missing: name}}}
	narrow := forest
	narrow.Width = 360
	series := []Series{{Name: name, Points: []Point{{X: 1, Y: 2, Text: name}}}, {Name: name + "2", Index: 1}}
	return map[string]string{
		"forest": forest.SVG(), "narrow forest": narrow.SVG(),
		"multiples":   Multiples{Title: name, XTitle: name, YTitle: name, Panels: []Panel{{Title: name, Series: series}}}.SVG(),
		"percentiles": Percentiles{YTitle: name, Panels: []CurvePanel{{Title: name, Curves: []Curve{{Name: name, Points: []Quantile{{0.5, 1}}}}}}}.SVG(),
		"order":       Order{YTitle: name, Names: []string{name}, Panels: []OrderPanel{{name, []OrderRun{{X: 1, Y: 1, Bad: name, Text: name}}}}}.SVG(),
		"timeline": Timeline{Title: name, Tracks: []Track{{Title: name, Unit: name, Lines: []Line{{Name: name, Values: []float64{1, 2}}, {Name: name, Values: []float64{1, 2}}}}},
			Marks: []Mark{{Second: 1, Letter: name, Text: name}}}.SVG(),
		"stacks": Stacks{Title: name, XTitle: name, Panels: []StackPanel{{name, []Stack{{Name: name, Text: name, Missing: name},
			{Name: name, Note: name, Link: name, Href: "#" + name, Whole: 1, Parts: []StackPart{{Name: name, Value: 2, Text: name, Tip: name}}}}}}}.SVG(),
		"heat": Heat{Title: name, YTitle: name, Edges: []float64{1, 2}, Counts: [][]int{{1}}}.SVG(),
	}
}

// A source converts fuzzer input to numbers: arbitrary ones, and often those that break axes.
type source struct{ data []byte }

func (s *source) next() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *source) number() float64 {
	evil := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 5e-324, math.MaxFloat64, -math.MaxFloat64, 1, 100, 1e-9}
	if k := int(s.next()); k < len(evil) {
		return evil[k]
	}
	if len(s.data) >= 8 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(s.data))
		s.data = s.data[8:]
		return v
	}
	return float64(s.next())
}

func (s *source) numbers() []float64 {
	v := make([]float64, s.next()%20)
	for i := range v {
		v[i] = s.number()
	}
	return v
}

// figures returns a chart of each kind.
func (s *source) figures(name string) []string {
	log, index := s.next()%2 == 0, int(int8(s.next()))
	f := Forest{Title: name, Unit: []string{"%", "x", "pp", name}[s.next()%4], Margin: s.number(), Less: name, Width: int(s.next()) * 4}
	m := Multiples{Title: name, YTitle: name, XLog: log, YLog: s.next()%2 == 0, Panels: []Panel{{Title: name}, {Title: name}}}
	p := Percentiles{YLog: log, Panels: []CurvePanel{{Title: name, Curves: []Curve{{Name: name, Index: index, Basis: Basis(name), Count: int64(s.number())}}}}}
	o := Order{YLog: log, Names: []string{name, name}, Panels: []OrderPanel{{}, {Title: name}}}
	for range s.next() % 12 {
		f.Rows = append(f.Rows, ForestRow{Group: name, Label: name, Effect: s.number(), Low: s.number(), High: s.number(), Word: name, Range: log, Basis: Emulated})
		k := s.next() % 2
		m.Panels[k].Series = append(m.Panels[k].Series, Series{Name: name, Index: index, Points: []Point{{s.number(), s.number(), s.number(), s.number(), name}}})
		p.Panels[0].Curves[0].Points = append(p.Panels[0].Curves[0].Points, Quantile{s.number(), s.number()})
		o.Panels[k].Runs = append(o.Panels[k].Runs, OrderRun{X: s.number(), Y: s.number(), Index: index, Text: name, Href: "#" + name})
	}
	t := Timeline{Title: name, Start: s.number(), Step: s.number(), Marks: []Mark{{s.number(), name, name}}, Tracks: []Track{
		{Title: name, Log: log, Lines: []Line{{Name: name, Values: s.numbers(), Low: s.numbers(), High: s.numbers()}}},
		{Stack: true, Lines: []Line{{Values: s.numbers()}, {Values: s.numbers()}}}}}
	b := Stacks{Title: name, XTitle: name, Width: int(s.next()) * 4, Panels: []StackPanel{{Title: name}, {Bars: []Stack{{Name: name, Index: index, Missing: name}, {Name: name, Note: name, Whole: s.number()}}}}}
	for _, v := range s.numbers() {
		bar := &b.Panels[1].Bars[1]
		bar.Parts = append(bar.Parts, StackPart{Name: name, Look: int(int8(s.next())), Value: v, Text: name, Tip: name})
	}
	h := Heat{YTitle: name, Start: s.number(), Step: s.number(), Edges: s.numbers()}
	for range s.next() % 9 {
		var column []int
		for _, v := range s.numbers() {
			column = append(column, int(v))
		}
		h.Counts = append(h.Counts, column)
	}
	return []string{f.SVG(), m.SVG(), m.PanelSVG(1), p.SVG(), o.SVG(), t.SVG(), b.SVG(), h.SVG()}
}

func FuzzFigures(f *testing.F) {
	f.Add(hostileName, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	for k := range byte(11) { // each evil number in every place
		f.Add("name", []byte(strings.Repeat(string([]byte{k}), 400)))
	}
	for seed := range 40 {
		data := make([]byte, 900)
		for i := range data {
			data[i] = byte((i*i*(seed+7) + i*31 + seed*13) >> (seed % 3))
		}
		f.Add("name", data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		before := spent(t)
		for _, svg := range (&source{data}).figures(name) {
			parse(t, svg)
			parse(t, Standalone(svg))
		}
		if took := spent(t) - before; took > 5*time.Second {
			t.Fatalf("drawing took %v of CPU time", took)
		}
	})
}

// spent returns the CPU time of this process, which does not grow while the machine is busy
// with other processes.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
