package placing

import (
	"fmt"
	"strings"

	"plinth/internal/placement"
	"plinth/internal/prose"
)

// moves words the steps, each with its lock and time, and what takes them back.
func moves(plan placement.Plan) prose.Document {
	d := prose.Document{prose.Heading("Moves, in this order"), prose.Paragraph("plinth moves nothing. SET lock_timeout before each statement, so that a move that has to wait for its lock does not make all others wait behind it.")}
	instead, seen := prose.List{}, map[string]bool{}
	for _, s := range plan.Steps {
		if text := about(s); text != "" {
			d.Add(prose.Paragraph(text))
		}
		if s.SQL != "" {
			d.Add(prose.Command(s.SQL))
		}
		for _, one := range s.Instead {
			if !seen[one] {
				seen[one] = true
				instead = append(instead, one)
			}
		}
	}
	if len(plan.Undo) > 0 {
		d.Add(prose.Heading("To undo them, in this order"))
		for _, sql := range plan.Undo {
			d.Add(prose.Command(sql))
		}
	}
	if len(instead) > 0 {
		d.Add(prose.Heading("Other ways to move"), instead)
	}
	return d
}

// about words what a step does, its lock and its time.
func about(s placement.Step) string {
	var parts []string
	if s.Object != "" {
		parts = append(parts, name(s.Object))
	}
	if s.Do != "" {
		parts = append(parts, s.Do)
	}
	if s.Size > 0 {
		from := "by the models of the devices"
		if s.Measured {
			from = "as measured"
		}
		parts = append(parts, fmt.Sprintf("%s, about %s at %s (%s)", s.Size, span(s.Time), s.Rate, from))
	}
	if s.Lock != "" {
		parts = append(parts, "lock: "+s.Lock)
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, "; ") + "."
	if s.Object == "" {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text // it begins with a name
}
