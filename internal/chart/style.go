package chart

import (
	_ "embed"
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
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + head + "><style>" + style + "</style>" +
		`<rect class="paper" width="100%" height="100%"/>` + rest + "\n"
}
