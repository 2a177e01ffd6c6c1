package tuning

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// Formats holds the formats of plans, profiles, knobs and checks.
var Formats = []string{"text", "markdown", "json"}

// Options controls how plans, profiles, knobs and checks are written.
type Options struct {
	Format string   // one of Formats; empty means text
	Width  int      // of text, in characters; 80 if 0
	Next   []string // commands to run next
}

// write writes the document, or value as JSON.
func (o Options) write(w io.Writer, d prose.Document, value any) error {
	return output.Write(w, cmp.Or(o.Format, "text"), o.Width, output.Forms{
		Document: func() (prose.Document, error) { return d, nil },
		Value:    func() (any, error) { return value, nil },
	})
}

// PlanSchema is the schema of a plan as JSON.
const PlanSchema = "plinth/tune-plan/v1"

// WritePlan writes a plan: each change with its reason, requirements and risk, then the knobs
// that remain unchanged.
func WritePlan(w io.Writer, p *tune.Plan, o Options) error {
	return o.write(w, planDocument(p, o.Next), struct {
		Schema string `json:"schema"`
		*tune.Plan
	}{PlanSchema, p})
}

func planDocument(p *tune.Plan, next []string) prose.Document {
	var d prose.Document
	sources := &sourceList{}
	title := "What would change here"
	if len(p.Profiles) > 0 {
		title = "What " + strings.Join(p.Profiles, ", then ") + " would change here"
	}
	d.Add(prose.Heading(title), prose.Paragraph(planSummary(p)))
	for _, layer := range knob.Layers() {
		changes := slices.DeleteFunc(slices.Clone(p.Changes), func(c tune.Change) bool { return c.Layer != layer || !wouldBeMade(c) })
		if len(changes) == 0 {
			continue
		}
		d.Add(prose.Heading(layerTitle(layer)))
		if slices.ContainsFunc(changes, unnamed) {
			d.Add(prose.Paragraph("No server is given, so its current values are not known: use --server."))
		}
		d.Add(newChangeList(changes, sources))
	}
	if len(p.Conflicts) > 0 {
		d.Add(prose.Heading("Conflicts"), prose.List(phrase.Notes("", p.Conflicts)))
	}
	if len(p.Missing) > 0 {
		d.Add(prose.Heading("Unmet requirements"), prose.List(phrase.Notes("", p.Missing)))
	}
	addRest(&d, "Cannot be set here", p, tune.Cannot)
	addRest(&d, "Not applicable here", p, tune.NotApplicable)
	addRest(&d, "In force already", p, tune.InForce)
	sources.add(&d)
	if len(next) > 0 {
		d.Add(prose.Heading("Next"), commandList(next))
	}
	return d
}

// unnamed reports whether a change is advice for a server that was not named.
func unnamed(c tune.Change) bool {
	return c.Layer == knob.Server && c.State == tune.Cannot && !c.Refused && c.Now == ""
}

// wouldBeMade reports whether a plan applies or advises a change.
func wouldBeMade(c tune.Change) bool {
	return c.State == tune.ToChange || c.State == tune.Later || unnamed(c)
}

// planSummary sums up a plan in a sentence or two.
func planSummary(p *tune.Plan) string {
	counts, needs := map[tune.State]int{}, map[knob.Needs]int{}
	changes, wide, ofDomain, ofServer := 0, 0, 0, 0
	for _, c := range p.Changes {
		switch {
		case unnamed(c):
			ofServer++
		case wouldBeMade(c):
			changes++
			switch {
			case c.Layer == knob.Hypervisor:
				ofDomain++ // at its next start, which applies all of them
			case c.HostWide():
				wide++
				fallthrough
			default:
				needs[c.Needs]++
			}
		default:
			counts[c.State]++
		}
	}
	text := "Nothing would change."
	if changes > 0 {
		text = phrase.Plural(changes, "change") + partWords(wide, changes, "of the whole machine") + partWords(ofDomain, changes, "of the domain, at its next start") + needsWords(needs) + "."
	}
	var rest []string
	for _, s := range []struct {
		n     int
		words string
	}{{ofServer, "for the server"}, {counts[tune.InForce], "in force already"}, {counts[tune.NotApplicable], "not applicable here"}, {counts[tune.Cannot], "that cannot be set here"}} {
		if s.n > 0 {
			rest = append(rest, fmt.Sprintf("%d %s", s.n, s.words))
		}
	}
	if rest != nil {
		text += " Other values: " + phrase.And(rest) + "."
	}
	return text
}

// partWords describes how many of the changes have a scope wider than a server.
func partWords(n, all int, scope string) string {
	switch {
	case n == 0:
		return ""
	case n == all && all == 1:
		return ", " + scope
	case n == all:
		return ", all " + scope
	}
	return fmt.Sprintf(", %d %s", n, scope)
}

func needsWords(needs map[knob.Needs]int) string {
	var parts []string
	for _, n := range []struct {
		needs knob.Needs
		words string
	}{{knob.Restart, "after a restart of the server"}, {knob.Reboot, "after a reboot"}, {knob.FreshMount, "after a fresh mount"}, {knob.NewAllocated, "for newly allocated memory"}, {knob.OpenHeld, "only while a command runs"}} {
		switch count := needs[n.needs]; count {
		case 0:
		case 1:
			parts = append(parts, "one takes effect "+n.words)
		default:
			parts = append(parts, fmt.Sprintf("%d take effect %s", count, n.words))
		}
	}
	if parts == nil {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

var layerTitles = map[knob.Layer]string{
	knob.Hypervisor: "Hypervisor", knob.Kernel: "Kernel", knob.CPU: "CPU", knob.Placement: "Placement on CPUs and memory",
	knob.Block: "Disk queues", knob.Mount: "Mount options", knob.Pod: "The pod on Kubernetes", knob.Server: "The server",
}

// commandList is a list of commands, one per line.
type commandList []string

func (l commandList) join(render func(prose.Command) string) string {
	var b strings.Builder
	for _, c := range l {
		b.WriteString(render(prose.Command(c)))
	}
	return b.String()
}

func (l commandList) Text(width int) string {
	return l.join(func(c prose.Command) string { return c.Text(width) })
}

func (l commandList) Markdown() string { return l.join(prose.Command.Markdown) }
func (l commandList) HTML() string     { return l.join(prose.Command.HTML) }

func layerTitle(l knob.Layer) string { return layerTitles[l] }
