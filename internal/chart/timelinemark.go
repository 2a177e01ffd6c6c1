package chart

import (
	"cmp"
	"math"
	"slices"
)

// markEntries are the kinds of marks, each once, with its letter, and the warm-up.
func (t Timeline) markEntries() []entry {
	var list []entry
	seen := map[[2]string]bool{}
	for _, m := range t.Marks {
		kind := [2]string{m.Letter, m.Text}
		if seen[kind] {
			continue
		}
		seen[kind] = true
		letter := cut(clean(m.Letter), normal, 40)
		list = append(list, entry{m.Text, textWidth(letter, normal) + 10, func(c *canvas, x, y float64) {
			c.text(label{x: x, y: y + 4, class: "bold muted", size: normal, text: letter})
		}})
	}
	if t.Start < 0 && t.seconds() > 0 {
		list = append(list, entry{"warm-up", 20, func(c *canvas, x, y float64) { c.rect("warmup", x, y-6, 14, 12) }})
	}
	return list
}

// letterRows is how many rows of letters there may be above the tracks. Where
// there are more marks than room, lines stay and letters go: the lines have titles.
const letterRows = 2

// letters draws the letters of the marks above their lines, those that would touch
// in a row of their own. It returns where the tracks begin.
func (p timelinePlan) letters(c *canvas, y float64) float64 {
	marks := slices.DeleteFunc(slices.Clone(p.Marks), func(m Mark) bool { return !p.x.has(m.Second) })
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Second, b.Second) })
	if len(marks) == 0 {
		return y
	}
	ends := [letterRows]float64{math.Inf(-1), math.Inf(-1)}
	for _, m := range marks {
		letter := cut(clean(m.Letter), small, 40)
		half := textWidth(letter, small)/2 + 1
		at := p.x.at(m.Second)
		for row := range ends {
			if at-half >= ends[row] {
				ends[row] = at + half
				c.group("tip", m.title(), func() {
					c.text(label{x: at, y: y + 10 + float64(letterRows-1-row)*13, class: "small bold muted middle", size: small, text: letter})
				})
				break
			}
		}
	}
	return y + letterRows*13 + 4
}

func (m Mark) title() string { return orName(m.Text, m.Letter) + " at " + short(m.Second) + " s" }
