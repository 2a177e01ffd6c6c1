package chart

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// looks is how the classes of the figures look, in terms of the palette.
//
//go:embed style.css
var looks string

// reactions is what a page adds: how figures answer to a pointer and the keyboard,
// and fit on paper. It is not in files: readers other than browsers do not know it.
//
//go:embed screen.css
var reactions string

// CSS is the looks of the figures for a page: the colours as variables, light and
// dark, and the classes that use them. The page's theme (the attribute data-theme
// of its root) goes before the reader's system, and paper is always light.
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

// Standalone makes a file of its own of a figure: an SVG document for browsers,
// Inkscape and rsvg-convert (and so for LaTeX). Its colours are the light ones,
// written out, because only browsers know variables.
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

// margin is what a file has around its figure, in px: a page has its own.
const margin = 12

var size = regexp.MustCompile(`width="([0-9.]+)" height="([0-9.]+)" viewBox="[^"]*"`)

// framed widens the size in the head of a figure by the margin, and makes the
// paper below it.
func framed(head string) (widened, paper string) {
	found := size.FindStringSubmatch(head)
	if found == nil {
		return head, ""
	}
	width, _ := strconv.ParseFloat(found[1], 64) // digits, says the expression
	height, _ := strconv.ParseFloat(found[2], 64)
	w, h := px(width+2*margin), px(height+2*margin)
	box := fmt.Sprintf(`width="%s" height="%s" viewBox="-%d -%d %s %s"`, w, h, margin, margin, w, h)
	return strings.Replace(head, found[0], box, 1),
		fmt.Sprintf(`<rect class="paper" x="-%d" y="-%d" width="%s" height="%s"/>`, margin, margin, w, h)
}

// colour is a named colour on light and on dark paper.
type colour struct{ name, light, dark string }

// seriesCount is how many series look different from each other; further ones
// begin again with the first.
const seriesCount = 8

// palette is every colour of the figures, and of the page around them. The series
// are those of Okabe and Ito (Color Universal Design, 2008), which colour-blind
// people tell apart; the pale ones are darkened on white, the dark ones lightened
// on black, so that a line has a contrast of 3:1 (WCAG 2.1, 1.4.11).
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
}
