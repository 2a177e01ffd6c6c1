package chart

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// document is a whole picture: an svg element as it stands in a page.
type document struct {
	class         string
	title, about  string // for screen readers
	width, height float64
	links         bool // there are links in it
	body          string
}

// String is the svg element. The ids that join it to its title are made from its
// content, so that several figures can stand in one page, and one and the same
// figure stays the same from one report to the next.
//
// A figure is an image to a screen reader, but for one with links: what is inside
// an image cannot be reached.
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

// nothing stands where numbers would.
const nothing = "no numbers yet"

// orNothing is s, or that there is nothing.
func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return s
}
