package chart

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// looks contains the style rules of the charts, in terms of the palette.
//
//go:embed style.css
var looks string

// reactions contains style rules for a page only: how charts respond to pointer and keyboard,
// and fit on paper. Separate files omit them, because most SVG readers ignore them.
//
//go:embed screen.css
var reactions string

// CSS returns the style of the charts for a page: the colours as variables, light and dark,
// and the classes that use them. The page's theme (the attribute data-theme of its root)
// overrides the system's, and paper is always light.
func CSS() string {
	light := declare(func(c colour) string { return c.light })
	dark := declare(func(c colour) string { return c.dark })
	return ":root{color-scheme:light;" + light + "}\n" +
		"@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;" + dark + "}}\n" +
		":root[data-theme=dark]{color-scheme:dark;" + dark + "}\n" +
		"@media print{:root:root:root{color-scheme:light;" + light + "}}\n" +
		looks + reactions
}

func declare(pick func(colour) string) string {
	var b strings.Builder
	for _, c := range palette {
		b.WriteString("--" + c.name + ":" + pick(c) + ";")
	}
	return b.String()
}

// Standalone converts a chart to an SVG file for browsers, Inkscape and rsvg-convert (and so
// for LaTeX). It uses the light colours, with variables replaced, because only browsers
// support them.
func Standalone(svg string) string {
	pairs := make([]string, 0, 2*len(palette))
	for _, c := range palette {
		pairs = append(pairs, "var(--"+c.name+")", c.light)
	}
	style := strings.NewReplacer(pairs...).Replace(looks)
	head, rest, _ := strings.Cut(svg, ">")
	head = strings.Replace(head, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
	head, paper := framed(head)
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + head + "><style>" + style + "</style>" + paper + rest + "\n"
}

// margin is the space around the chart in a file, in px. A page has its own margins.
const margin = 12

var size = regexp.MustCompile(`width="([0-9.]+)" height="([0-9.]+)" viewBox="[^"]*"`)

// framed enlarges the size in the head of a chart by the margin, and returns a background of
// that size.
func framed(head string) (widened, paper string) {
	found := size.FindStringSubmatch(head)
	if found == nil {
		return head, ""
	}
	width, _ := strconv.ParseFloat(found[1], 64) // the expression matches digits only
	height, _ := strconv.ParseFloat(found[2], 64)
	w, h := px(width+2*margin), px(height+2*margin)
	box := fmt.Sprintf(`width="%s" height="%s" viewBox="-%d -%d %s %s"`, w, h, margin, margin, w, h)
	return strings.Replace(head, found[0], box, 1),
		fmt.Sprintf(`<rect class="paper" x="-%d" y="-%d" width="%s" height="%s"/>`, margin, margin, w, h)
}

// A colour is a named colour for light and for dark paper.
type colour struct{ name, light, dark string }

// seriesCount is the number of distinguishable series; further ones repeat from the first.
const seriesCount = 8

// palette holds every colour of the charts and of the page around them. The series colours are
// those of Okabe and Ito (Color Universal Design, 2008), which colour-blind readers can
// distinguish; pale ones are darkened on white and dark ones lightened on black, so that lines
// have a contrast of 3:1 (WCAG 2.1, 1.4.11).
var palette = []colour{
	{"paper", "#ffffff", "#15181c"},
	{"ink", "#1b1f24", "#e8eaed"},
	{"muted", "#5b626b", "#a3abb5"},
	{"grid", "#e4e7ea", "#2c323a"},
	{"band", "#eaeff4", "#232a33"},
	{"accent", "#0a5ea8", "#6cb4f0"},
	{"good", "#17713a", "#5cc98a"},
	{"bad", "#b3261e", "#ff8a80"},
	{"warn", "#8a5a00", "#e6b450"},
	{"series-0", "#0072b2", "#56b4e9"}, // blue
	{"series-1", "#d55e00", "#f08a45"}, // vermilion
	{"series-2", "#00875f", "#2fc79a"}, // bluish green
	{"series-3", "#b5568a", "#dd94bd"}, // reddish purple
	{"series-4", "#a87000", "#e6a92e"}, // orange
	{"series-5", "#3592c9", "#9bd2f5"}, // sky blue
	{"series-6", "#4a4f57", "#c3c8cf"}, // black
	{"series-7", "#837a00", "#efe35a"}, // yellow
	// The parts of one whole, such as a run's time, which must not be mistaken for environments. Neighbours
	// differ in lightness, and in pattern or dash.
	{"layer-0", "#3d5a80", "#7fa3d1"},
	{"layer-1", "#c2703d", "#e39a6a"},
	{"layer-2", "#5f8f5a", "#93c48d"},
	{"layer-3", "#8a4f7d", "#c48bb7"},
	{"layer-4", "#a98a1f", "#d8bb58"},
	{"layer-5", "#3f8f96", "#75c3ca"},
	{"layer-6", "#7a6a5c", "#b3a394"},
	{"layer-7", "#6f6fb5", "#a5a5e6"},
}
