package chart

import (
	"strings"
	"testing"
)

func TestPanelsShareAnAxisUntilTheyAreFarApart(t *testing.T) {
	for _, c := range []struct {
		scale []float64
		own   bool
	}{{[]float64{1, 2, 4.9}, false}, {[]float64{1, 2, 6}, true}, {[]float64{1}, false}} {
		g := someMultiples(2, c.scale...).grid()
		if g.ownScale != c.own {
			t.Errorf("%v: own scale is %v", c.scale, g.ownScale)
		}
		if same := g.panels[0].y.hi == g.panels[len(g.panels)-1].y.hi; same == c.own {
			t.Errorf("%v: the axes are the same: %v", c.scale, same)
		}
		if strings.Contains(g.one(0), "TPS (own scale)") != c.own {
			t.Errorf("%v: a panel does not say whose scale it has", c.scale)
		}
	}
}

func TestPanelOutOfRange(t *testing.T) {
	m := someMultiples(1, 1)
	if m.PanelSVG(1) != "" || m.PanelSVG(-1) != "" || m.PanelSVG(0) == "" {
		t.Error("there are panels that there are not, or none that there is")
	}
}

func TestMultiplesMarks(t *testing.T) {
	n := parse(t, someMultiples(3, 1).SVG())
	if got, want := len(n.of("tip")), 3*len(clients); got != want {
		t.Errorf("%d points, want %d", got, want)
	}
	if got, want := len(n.of("bar")), 3*len(clients); got != want {
		t.Errorf("%d intervals, want %d", got, want)
	}
	if len(n.of("hollow")) != len(clients)+1 || len(n.of("unmeasured")) != 2 {
		t.Error("what is emulated is not hollow and dotted, in the panel and in the legend")
	}
	if !strings.Contains(n.of("tip")[0].title, "disk, 1 clients") {
		t.Errorf("its title is %q", n.of("tip")[0].title)
	}
}

func TestMultiplesLeaveOutWhatHasNoPlace(t *testing.T) {
	m := someMultiples(1, 1)
	m.YLog = true
	m.Panels[0].Series[0].Points[2].Y = 0
	m.Panels[0].Series[0].Points[3].Y = nan
	m.Panels[0].Series[0].Points[4].X = -1
	m.Panels[0].Series[0].Points[5].Low = -5 // its bar reaches down to the edge
	n := parse(t, m.SVG())
	if got := len(n.of("tip")); got != 3 {
		t.Errorf("%d points, want 3", got)
	}
	if got := len(n.of("bar")); got != 3 {
		t.Errorf("%d intervals, want 3", got)
	}
}

func TestOrderMarks(t *testing.T) {
	o := someOrder()
	n := parse(t, o.SVG())
	bad := 0
	for _, p := range o.Panels {
		for _, r := range p.Runs {
			if r.Bad != "" {
				bad++
			}
		}
	}
	if got := len(n.of("cross")); got != bad+2 {
		t.Errorf("%d crosses, want %d and 2 in the legend", got, bad)
	}
	links := 0
	n.walk(func(n *node) {
		if n.name == "a" && strings.HasPrefix(n.attr["href"], "#run=") && n.attr["aria-label"] != "" {
			links++
		}
	})
	if links != 120 || n.attr["role"] != "group" {
		t.Errorf("%d links in a %s, want 120 in a group", links, n.attr["role"])
	}
}

func TestOrderLinksOnlyInside(t *testing.T) {
	for href, want := range map[string]bool{"#run=a": true, "/record/x#run=a": true, "javascript:alert(1)": false,
		"//elsewhere.example": false, "https://elsewhere.example": false, "": false, " javascript:x": false} {
		svg := Order{Panels: []OrderPanel{{Runs: []OrderRun{{X: 1, Y: 1, Href: href}}}}}.SVG()
		if strings.Contains(svg, "<a ") != want {
			t.Errorf("%q is a link: %v", href, !want)
		}
	}
}
