package chart

import (
	"encoding/hex"
	"math"
	"regexp"
	"strings"
	"testing"
)

// luminance returns the relative luminance of a colour as defined by WCAG 2.1.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	rgb, err := hex.DecodeString(strings.TrimPrefix(colour, "#"))
	if err != nil || len(rgb) != 3 {
		t.Fatalf("%s is no colour", colour)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(rgb[i]) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	need := map[string]float64{"ink": 7, "muted": 4.5, "good": 4.5, "bad": 4.5, "warn": 4.5, "accent": 4.5}
	paper, band := palette[0], palette[4]
	for _, c := range palette {
		least, ok := need[c.name]
		if strings.HasPrefix(c.name, "series-") || strings.HasPrefix(c.name, "layer-") {
			least, ok = 3, true
		}
		if !ok {
			continue
		}
		for _, got := range []float64{contrast(t, c.light, paper.light), contrast(t, c.dark, paper.dark)} {
			if got < least {
				t.Errorf("%s has a contrast of %.2f, not %v", c.name, got, least)
			}
		}
		if got := min(contrast(t, c.light, band.light), contrast(t, c.dark, band.dark)); got < 2.5 {
			t.Errorf("%s has a contrast of %.2f on the band", c.name, got)
		}
	}
}

func TestSeriesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range seriesCount {
		l := look{index: i}
		for _, part := range []string{l.colour(), l.line(), markers[i]} {
			if seen[part] {
				t.Errorf("two series have %s", part)
			}
			seen[part] = true
		}
	}
	if (look{index: 8}).colour() != "s0" || (look{index: -1}).colour() != "s7" {
		t.Error("further series do not begin again")
	}
}

// Every class that a chart uses has a style rule, and vice versa.
func TestClassesHaveLooks(t *testing.T) {
	used := map[string]bool{"chart": true}
	for _, figures := range gallery() {
		for _, svg := range figures {
			parse(t, svg).walk(func(n *node) {
				for class := range strings.FieldsSeq(n.attr["class"]) {
					used[class] = true
				}
			})
		}
	}
	known := map[string]bool{"tip": true, "forest": true, "multiples": true, "percentiles": true, "order": true, "timeline": true, "heat-map": true, "stacks": true}
	for _, m := range regexp.MustCompile(`\.([a-z][a-z0-9-]*)`).FindAllStringSubmatch(looks, -1) {
		known[m[1]] = true
		if !used[m[1]] && m[1] != "paper" { // only in Standalone
			t.Errorf("no figure uses .%s", m[1])
		}
	}
	for class := range used {
		if !known[class] {
			t.Errorf(".%s has no look", class)
		}
	}
}

func TestCSSNamesColoursThatThereAre(t *testing.T) {
	css := CSS()
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(css, -1) {
		if strings.Count(css, m[1]+":") != 4 {
			t.Errorf("%s is declared %d times, not for light, dark, dark by choice and paper", m[1], strings.Count(css, m[1]+":"))
		}
	}
	if strings.Count(css, "{") != strings.Count(css, "}") {
		t.Error("braces do not match")
	}
}

func TestStandalone(t *testing.T) {
	file := Standalone(someForest(0).SVG())
	if strings.Contains(file, "var(") || strings.Count(file, "<style>") != 1 {
		t.Error("there are variables, or not one style, in the file")
	}
	if !strings.HasPrefix(file, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<svg xmlns="http://www.w3.org/2000/svg" class="chart forest"`) {
		t.Errorf("it begins with %.200s", file)
	}
	n := parse(t, file)
	paper := n.of("paper")[0]
	if n.attr["viewBox"] != "-12 -12 "+n.attr["width"]+" "+n.attr["height"] || paper.attr["width"] != n.attr["width"] || n.number("width") != 744 {
		t.Errorf("no margin around it: %v on %v", n.attr, paper.attr)
	}
}

func TestFiguresAreNamed(t *testing.T) {
	ids := map[string]string{}
	for kind, figures := range gallery() {
		for _, svg := range figures {
			n := parse(t, svg)
			found := map[string]string{}
			n.walk(func(n *node) {
				if id := n.attr["id"]; id != "" {
					found[id] = n.text
					if other, ok := ids[id]; ok && other != svg {
						t.Errorf("two figures have the id %s", id)
					}
					ids[id] = svg
				}
			})
			for id := range strings.FieldsSeq(n.attr["aria-labelledby"]) {
				if found[id] == "" {
					t.Errorf("%s: %s names nothing", kind, id)
				}
			}
			if role := n.attr["role"]; role != "img" && len(n.of("tip")) == 0 {
				t.Errorf("%s: its role is %s", kind, role)
			}
		}
	}
}
