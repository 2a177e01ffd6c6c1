package chart

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPercentilesEndWhereNobodyIsLeft(t *testing.T) {
	c := Curve{Count: 1000, Points: []Quantile{{0, 1}, {0.5, 2}, {0.99, 3}, {0.9999, 9}, {1, 9}}}
	got := Percentiles{}.visible(c)
	if len(got) != 4 || got[3].x != 1000 || got[3].y != 9 {
		t.Errorf("the curve goes through %v", got)
	}
	if i, ok := reached(got, 10); !ok || got[i].y != 3 {
		t.Errorf("p90 is %v", got[i])
	}
	if _, ok := reached(got, 1e4); ok {
		t.Error("one thousand transactions have a p99.99")
	}
}

func TestPercentilesAreSmall(t *testing.T) {
	for series, limit := range map[int]int{3: 8000, 8: 13000} {
		if got := len(somePercentiles(series).PanelSVG(0)); got > limit {
			t.Errorf("%d curves are %d bytes", series, got)
		}
	}
}

func TestPercentilesName(t *testing.T) {
	n := parse(t, somePercentiles(2).PanelSVG(0))
	var titles []string
	for _, tip := range n.of("tip") {
		titles = append(titles, tip.title)
	}
	if got := strings.Join(titles, "; "); !strings.Contains(got, "environment 1, p99.9: 5.48 ms") {
		t.Errorf("titles: %s", got)
	}
}

// A thinned line keeps its extremes and stays close to the original.
func TestThinKeepsExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var dots []dot
	for i := range 100_000 {
		dots = append(dots, dot{float64(i) / 140, 50 + random.NormFloat64()})
	}
	dots[60_000].y, dots[70_000].y = 2, 99
	got := thin(dots)
	if len(got) > 4*720 {
		t.Errorf("%d dots are left of a line 714 px wide", len(got))
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, d := range got {
		least, most = min(least, d.y), max(most, d.y)
	}
	if least != 2 || most != 99 || got[0] != dots[0] || got[len(got)-1] != dots[len(dots)-1] {
		t.Errorf("it goes from %v to %v, %v to %v", got[0], got[len(got)-1], least, most)
	}
	straight := thin([]dot{{0, 0}, {10, 10}, {20, 20}, {30, 30.2}})
	if len(straight) != 2 {
		t.Errorf("a straight line has %d dots", len(straight))
	}
}

// Gaps are never bridged: no piece of a line covers seconds without a value.
func TestGapsStayGaps(t *testing.T) {
	values := []float64{1, 2, nan, nan, 3, nan, 4, 5, 0}
	for _, c := range []struct {
		track  Track
		pieces int
	}{
		{Track{Lines: []Line{{Values: values}}}, 3},
		{Track{Log: true, Lines: []Line{{Values: values}}}, 3},
		{Track{Stack: true, Lines: []Line{{Values: values}}}, 3},
		{Track{Lines: []Line{{Low: values, High: values}}}, 3},
	} {
		timeline := Timeline{Step: 1, Tracks: []Track{c.track}}
		x := timeline.plan().x
		empty := [][2]float64{{x.at(2), x.at(3)}, {x.at(5), x.at(5)}}
		for _, g := range parse(t, timeline.SVG()).of("tip") {
			for _, path := range g.children {
				if path.name != "path" {
					continue
				}
				parts := strings.Split(path.attr["d"], "M")[1:]
				if len(parts) != c.pieces {
					t.Errorf("%+v: %d pieces, want %d", c.track, len(parts), c.pieces)
				}
				for _, part := range parts {
					crosses(t, part, empty)
				}
			}
		}
	}
}

func crosses(t *testing.T, part string, empty [][2]float64) {
	t.Helper()
	left, right := math.Inf(1), math.Inf(-1)
	for i, v := range numbersOf(part) {
		if i%2 == 0 {
			left, right = min(left, v), max(right, v)
		}
	}
	for _, gap := range empty {
		if left < gap[1] && right > gap[0] {
			t.Errorf("a piece from %v to %v lies over the gap %v", left, right, gap)
		}
	}
}

func TestStackAddsUp(t *testing.T) {
	got := stacked([]Line{{Values: []float64{1, nan, nan}}, {Values: []float64{2, 5, nan}}, {Values: []float64{-1}}})
	if got[1].High[0] != 3 || got[1].High[1] != 5 || !math.IsNaN(got[1].High[2]) || got[2].High[0] != 3 || got[2].Low[1] != 5 {
		t.Errorf("layers: %+v", got)
	}
}

// Every count is in some cell, even if cells were merged to be visible.
func TestHeatLosesNothing(t *testing.T) {
	for _, n := range []int{1, 90, 2000} {
		h := someHeat(n)
		want, got := 0, 0
		for _, column := range h.Counts {
			for _, c := range column {
				want += c
			}
		}
		p := h.plan()
		for _, column := range p.counts {
			for _, c := range column {
				got += c
			}
		}
		if got != want || len(p.counts) > 260 || len(p.edges) > 60 {
			t.Errorf("%d of %d are drawn, in %d columns and %d rows", got, want, len(p.counts), len(p.edges)-1)
		}
	}
}

func TestHeatDepth(t *testing.T) {
	p := heatPlan{most: 1000}
	if p.level(0) != -1 || p.level(1) != 0 || p.level(1000) != heatLevels-1 {
		t.Errorf("levels %d, %d, %d", p.level(0), p.level(1), p.level(1000))
	}
}

func BenchmarkFigures(b *testing.B) {
	for name, draw := range map[string]func() string{
		"forest": someForest(0).SVG, "multiples": someMultiples(3, 1, 2, 3).SVG, "percentiles": somePercentiles(3).SVG,
		"order": someOrder().SVG, "timeline": someTimeline(600).SVG, "heat": someHeat(90).SVG,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(len(draw())), "bytes")
			}
		})
	}
}
