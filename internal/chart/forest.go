package chart

import (
	"fmt"
	"strings"
)

// SVG draws the effects as rows around a line of no effect. An outlier does not compress the
// other rows: a value more than ten times as far from no effect as the upper quartile of the
// rows is an arrow at the edge of the axis, and a note below counts such rows. The numbers are
// printed beside each row.
func (f Forest) SVG() string {
	if f.Width == 0 {
		f.Width = 720
	}
	p := newForestPlan(f)
	var c canvas
	if len(f.Rows) == 0 {
		c.empty(0, float64(f.Width), 24)
		return f.document(c.String(), 40)
	}
	y := p.head(&c)
	p.ground(&c, y)
	for i, r := range f.Rows {
		if f.heads(i) {
			y = p.group(&c, r.Group, y)
		}
		y = p.row(&c, r, y)
	}
	height := p.foot(&c, y+4)
	return f.document(c.String(), height)
}

// heads reports whether a group begins with row i.
func (f Forest) heads(i int) bool {
	return f.Rows[i].Group != "" && (i == 0 || f.Rows[i-1].Group != f.Rows[i].Group)
}

func (f Forest) document(body string, height float64) string {
	return document{class: "forest", title: orNothing(f.Title), about: f.about(), width: float64(f.Width), height: height, body: body}.String()
}

// about describes the rows in words, for screen readers.
func (f Forest) about() string {
	var b strings.Builder
	for _, r := range f.Rows {
		if b.Len() > 4000 {
			return b.String() + "…"
		}
		fmt.Fprintf(&b, "%s: %s. ", strings.Join(filled(r.Group, r.Label, r.detail()), ", "), strings.Join(filled(r.Missing, r.Text, r.Word), ", "))
	}
	return orNothing(strings.TrimSpace(b.String()))
}

func filled(parts ...string) []string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return some
}

// detail returns Detail, followed by the basis if the row was not measured.
func (r ForestRow) detail() string {
	if (look{basis: r.Basis}).measured() {
		return r.Detail
	}
	return strings.Join(filled(r.Detail, string(r.Basis)), ", ")
}

// colour returns the class for the verdict, which is also printed in words.
func (r ForestRow) colour() string {
	switch r.Word {
	case "better", "worse":
		return r.Word
	case "invalid", "inconclusive":
		return "faint"
	}
	return "plain"
}
