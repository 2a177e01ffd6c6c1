package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	timelineWidth  = 760.0
	trackHeight    = 84.0
	trackHead      = 24.0
	timelineBottom = 38.0
	// markRoom is how many px each mark needs to be a line through the plots. If there are
	// more marks, they are notches at the top.
	markRoom = 9.0
)

// SVG draws the tracks below one another on one time axis, with the marks as lines across all
// of them. Seconds before zero, the warm-up, are on grey.
func (t Timeline) SVG() string {
	var c canvas
	p := t.plan()
	top := legend(&c, t.markEntries(), 0, 0, timelineWidth)
	top = p.letters(&c, top+4)
	bottom := top + float64(max(1, len(p.tracks)))*(trackHead+trackHeight)
	y := top
	for _, track := range p.tracks {
		p.ground(&c, y+trackHead-4, y+trackHead+trackHeight-12)
		p.track(&c, track, y)
		y += trackHead + trackHeight
	}
	if p.seconds() == 0 {
		c.empty(0, timelineWidth, top+trackHead+trackHeight/2)
	} else {
		level(&c, p.x, bottom)
		c.text(label{x: (p.x.from + p.x.to) / 2, y: bottom + 32, class: "small muted middle", size: small, text: p.axisTitle()})
	}
	return document{class: "timeline", title: orNothing(t.Title), about: t.about(), width: timelineWidth,
		height: bottom + timelineBottom, body: c.String()}.String()
}

// A timelinePlan is a Timeline with its axes.
type timelinePlan struct {
	Timeline
	x      axis
	tracks []trackPlan
}

func (t Timeline) plan() timelinePlan {
	if !finite(t.Step) || t.Step <= 0 {
		t.Step = 1
	}
	if !finite(t.Start) {
		t.Start = 0
	}
	p := timelinePlan{Timeline: t}
	left := 24.0
	for _, track := range t.Tracks {
		planned := track.plan()
		for _, tick := range planned.y.ticks {
			left = max(left, textWidth(tick.label, small)+8)
		}
		p.tracks = append(p.tracks, planned)
	}
	end := t.Start + float64(max(1, t.seconds()))*t.Step
	p.x = axis{lo: t.Start, hi: end, from: left, to: timelineWidth - 10, ticks: timeTicks(t.Start, end)}
	return p
}

// seconds returns the number of values of the longest line.
func (t Timeline) seconds() int {
	n := 0
	for _, track := range t.Tracks {
		for _, line := range track.Lines {
			n = max(n, len(line.Values), len(line.Low), len(line.High))
		}
	}
	return n
}

// timeTicks returns round seconds, or round minutes and hours over a longer time: 15 s is
// followed by 30 s, 60 s and 2 min, not by 50 s.
func timeTicks(lo, hi float64) []tick {
	if hi-lo < 120 {
		return linearTicks(lo, hi, 12)
	}
	for _, step := range []float64{15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400} {
		if (hi-lo)/step > 12 {
			continue
		}
		var ticks []tick
		for i := math.Ceil(lo / step); i*step <= hi && len(ticks) < 20; i++ {
			ticks = append(ticks, tick{i * step, clock(i * step)})
		}
		return ticks
	}
	return linearTicks(lo, hi, 8)
}

// clock formats seconds as 1:30, or 2:00:00 from an hour on.
func clock(seconds float64) string {
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	s := int64(seconds)
	if s >= 3600 {
		return fmt.Sprintf("%s%d:%02d:%02d", sign, s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%s%d:%02d", sign, s/60, s%60)
}

func (p timelinePlan) axisTitle() string {
	if p.x.hi-p.x.lo < 120 {
		return "time, s"
	}
	if max(math.Abs(p.x.lo), p.x.hi) >= 3600 {
		return "time, h:min:s"
	}
	return "time, min:s"
}

// ground draws the warm-up and the marks behind the plot of a track, but not behind its title.
func (p timelinePlan) ground(c *canvas, top, bottom float64) {
	if p.x.lo < 0 {
		right := p.x.at(min(0, p.x.hi))
		c.rect("warmup", p.x.from, top, right-p.x.from, bottom-top)
	}
	class := "event"
	if float64(len(p.Marks)) > (p.x.to-p.x.from)/markRoom {
		class, bottom = "axis", top+5
	}
	d := ""
	for _, m := range p.Marks {
		if p.x.has(m.Second) {
			d += "M" + px(p.x.at(m.Second)) + " " + px(top) + "V" + px(bottom)
		}
	}
	c.path(class, d)
}

func (t Timeline) about() string {
	var parts []string
	for _, track := range t.Tracks {
		var names []string
		for _, line := range track.Lines {
			names = append(names, line.Name)
		}
		parts = append(parts, fmt.Sprintf("%s (%s): %s.", track.Title, track.Unit, strings.Join(names, ", ")))
	}
	return orNothing(strings.Join(parts, " "))
}

// markEntries returns each kind of mark once, with its letter, and the warm-up.
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

// letterRows is the maximum number of rows of letters above the tracks. If there are more
// marks than room, the remaining lines have no letter.
const letterRows = 2

// letters draws the letters of the marks above their lines, in a second row where they would
// touch. It returns the y at which the tracks begin.
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
