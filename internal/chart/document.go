package chart

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// A document is a whole picture: an svg element to embed in a page.
type document struct {
	class         string
	title, about  string // for screen readers
	width, height float64
	links         bool // whether it contains links
	body          string
}

// String returns the svg element. The ids that connect it to its title are a hash of its
// content: one page can contain several charts, and an unchanged chart has the same ids in
// every report.
//
// To a screen reader a chart is an image, unless it has links: the content of an image is not
// reachable.
func (d document) String() string {
	title, about := escape(d.title), escape(d.about)
	hash := fnv.New64a()
	_, _ = fmt.Fprint(hash, d.class, title, about, d.body) // a hash never fails
	id := fmt.Sprintf("f%x", hash.Sum64())
	role := "img"
	if d.links {
		role = "group"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart %s" role="%s" aria-labelledby="%s-t %s-d" width="%s" height="%s" viewBox="0 0 %s %s">`,
		d.class, role, id, id, px(d.width), px(d.height), px(d.width), px(d.height))
	fmt.Fprintf(&b, `<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, title, id, about)
	b.WriteString(d.body)
	b.WriteString("</svg>")
	return b.String()
}

// nothing is shown in place of numbers.
const nothing = "no numbers yet"

// orNothing returns s, or nothing if s is empty.
func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return s
}
