// Package predicted words predictions. A predicted number has a tilde in front, and its interval beside it, so that
// it cannot be taken for a measurement.
package predicted

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prediction"
	"plinth/internal/prediction/closed"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Schema is the schema of the JSON that `plinth predict` prints.
const Schema = "plinth/prediction/v1"

// Report is the content of the report.
type Report struct {
	Schema      string `json:"schema"`
	Basis       string `json:"basis"` // "predicted"
	Record      string `json:"record"`
	Engine      string `json:"engine,omitempty"` // "postgres", "redis"
	Environment string `json:"reference"`        // the environment that was measured
	Emulated    bool   `json:"reference_emulated"`
	Imported    bool   `json:"reference_imported,omitempty"`
	Change      string `json:"change"` // "data on gp3"
	Cells       []Cell `json:"cells"`
	Swept       *Swept `json:"sweep,omitempty"`
}

// Cell is a prediction from a measured cell.
type Cell struct {
	experiment.Cell
	Runs       int                    `json:"runs"`
	TPS        float64                `json:"measured_tps"`
	Mean       float64                `json:"measured_mean_s,omitzero"`
	P50        float64                `json:"measured_p50_s,omitzero"`
	P95        float64                `json:"measured_p95_s,omitzero"`
	P99        float64                `json:"measured_p99_s,omitzero"`
	Prediction *prediction.Prediction `json:"prediction,omitempty"`
	Refused    string                 `json:"refused,omitempty"`
	Hint       string                 `json:"hint,omitempty"`
}

// Swept is a sweep from a measured cell.
type Swept struct {
	experiment.Cell
	prediction.Sweep
	// Measured are environments of the record that were measured at a value.
	Measured []prediction.Measured `json:"measured,omitempty"`
}

// Formats are the formats of Write.
var Formats = output.Forms{
	Document: func() (prose.Document, error) { return nil, nil }, Value: func() (any, error) { return nil, nil },
	SVG: func() (string, error) { return "", nil },
}.Formats()

// Write writes it as text of a width, as Markdown, as JSON, or, if it is of a range of values, as a picture.
func Write(w io.Writer, r Report, format string, width int) error {
	r.Schema, r.Basis = Schema, "predicted"
	return output.Write(w, format, width, output.Forms{
		Of:       "of a prediction",
		Document: func() (prose.Document, error) { return r.document(), nil },
		Value:    func() (any, error) { return r, nil },
		SVG:      r.picture,
	})
}

func (r Report) document() prose.Document {
	var d prose.Document
	d.Add(prose.Heading("Prediction: "+r.Change), prose.Paragraph(r.reference()))
	if r.Swept != nil {
		d.Add(r.Swept.table(r.words(), strings.ToLower(r.basis())), prose.Paragraph(r.Swept.knee()))
	}
	if len(r.Cells) > 0 {
		d.Add(r.throughput(), r.latencies(), r.binds(), r.refusals())
	}
	d.Add(r.assumptions()...)
	text := "Numbers with ~ are predicted, not measured."
	if r.Swept != nil {
		text += " At the end of a bar, ~ is the interval."
	}
	if r.Imported {
		text += " To measure them, run the workload with plinth on both disks, which may be emulated."
	} else if r.Swept == nil {
		text += " With --experiment, plinth writes the closest experiment that the machine of the reference can run, if there is one."
	}
	d.Add(prose.Paragraph(text))
	return d
}

func (r Report) words() experiment.Terms { return experiment.TermsOf(r.Engine) }

func (r Report) reference() string {
	basis := "measured"
	switch {
	case r.Emulated:
		basis = "measured on emulated disks"
	case r.Imported:
		basis = "imported: others measured it"
	}
	return fmt.Sprintf("From environment %s of %s, %s.", r.Environment, r.Record, basis)
}

// throughput is the table of the throughput.
func (r Report) throughput() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Workload"}, {Title: "Clients", Right: true}, {Title: "Runs", Right: true}, {Title: r.words().Say(r.basis() + " TPS"), Right: true}, {Title: r.words().Say("Predicted TPS"), Right: true}, {Title: "90 % interval", Right: true}, {Title: "Change", Right: true},
	}}
	for _, c := range r.Cells {
		if p := c.Prediction; p != nil {
			t.Rows = append(t.Rows, []string{c.Workload, c.clients(), fmt.Sprint(c.Runs), phrase.Count(c.TPS), about(p.TPS.Value), interval(p.TPS, phrase.Count), change(p.TPS.Value / c.TPS)})
		}
	}
	if len(t.Rows) == 0 {
		return prose.Paragraph("")
	}
	return t
}

// clients are the clients that are asked for, and those of the reference.
func (c Cell) clients() string {
	if q := c.Prediction.Clients; q > 0 && q != c.Clients {
		return fmt.Sprintf("%d (from %d)", q, c.Clients)
	}
	return fmt.Sprint(c.Clients)
}

// latencies is the table of latencies, in milliseconds.
func (r Report) latencies() prose.Block {
	t := prose.WordTable{Columns: []prose.Column{
		{Title: "Workload"}, {Title: "Clients", Right: true}, {Title: "Latency, ms"}, {Title: r.basis(), Right: true}, {Title: "Predicted", Right: true}, {Title: "90 % interval", Right: true},
	}}
	for _, c := range r.Cells {
		p := c.Prediction
		if p == nil {
			continue
		}
		workload, clients := c.Workload, c.clients()
		for _, l := range []struct {
			name      string
			measured  float64
			predicted prediction.Estimate
		}{{"mean", c.Mean, p.Mean}, {"p50", c.P50, p.P50}, {"p95", c.P95, p.P95}, {"p99", c.P99, p.P99}} {
			if l.predicted == (prediction.Estimate{}) {
				continue // the reference lacks it
			}
			t.Rows = append(t.Rows, []string{workload, clients, l.name, known(l.measured), "~" + ms(l.predicted.Value), interval(l.predicted, ms)})
			workload, clients = "", ""
		}
	}
	if len(t.Rows) == 0 {
		return prose.Paragraph("")
	}
	return t
}

func ms(s float64) string { return strings.TrimSuffix(phrase.Milliseconds(s*1e9), " ms") }

// places are the words for where transactions are.
var places = map[string]string{
	closed.CPU: "computing", closed.CPUWait: "waiting for a CPU", closed.Read: "reading", closed.Flush: "flushing the WAL",
	closed.RowLock: "waiting for row locks", closed.Thread: "waiting for the load generator", closed.Elapse: "in delays that are not explained",
	closed.Pause:    `thinking (\sleep)`,
	closed.LoopWait: "waiting for the server's thread", closed.InLoop: "in the event loop", closed.Append: "syncing the append-only file",
}

// most is how many places are listed.
const most = 3

// binds says for each cell where its time goes and what is used.
func (r Report) binds() prose.Block {
	var all prose.List
	for _, c := range r.Cells {
		if c.Prediction == nil {
			continue
		}
		var where []string
		for _, p := range c.Prediction.Places[:min(most, len(c.Prediction.Places))] {
			if p.Share >= 0.05 {
				where = append(where, phrase.Percent(p.Share)+" "+places[p.Name])
			}
		}
		var used []string
		apart := slices.ContainsFunc(c.Prediction.Loads, func(l prediction.Load) bool { return l.Name == "other cpu" })
		for _, l := range c.Prediction.Loads {
			resource := resources[l.Name]
			if l.Name == "cpu" && apart {
				resource = "server's CPUs"
			}
			if l.Use >= 0.5 {
				used = append(used, fmt.Sprintf("%s of the %s", phrase.Percent(min(1, l.Use)), resource))
			}
		}
		text := fmt.Sprintf("%s, %s: a transaction would spend ~%s", c.Workload, unit.Count(cmp.Or(c.Prediction.Clients, c.Clients), "client"), phrase.And(where))
		if len(used) > 0 {
			text += "; it would use ~" + phrase.And(used)
		}
		if reads := c.Prediction.Reads; len(reads) > 0 {
			text += fmt.Sprintf("; it would need ~%.2f reads from the disk", reads[0])
		}
		text += helps(c.Prediction)
		if p := c.Prediction; p.Sustained != nil {
			text += fmt.Sprintf("; this is while a burst lasts, which would end after ~%s, with ~%s TPS from then on (%s)", seconds(p.Emptied), phrase.Count(p.Sustained.Value), interval(*p.Sustained, phrase.Count))
		}
		all = append(all, r.words().Say(text))
	}
	return all
}

var resources = map[string]string{
	"cpu": "CPUs", "other cpu": "CPUs of the load and all else", "data iops": "IOPS of the data's disk", "data throughput": "throughput of the data's disk",
	"wal iops": "IOPS of the WAL's disk", "wal throughput": "throughput of the WAL's disk",
}

// helps says of which resource twice as much would help most.
func helps(p *prediction.Prediction) string {
	b := p.Binds()
	switch {
	case b != nil:
		return fmt.Sprintf("; %s would help most (~%s TPS)", doubled[b.Resource], change(b.Factor))
	case len(p.Doubled) > 0:
		return "; twice as much of any one resource would gain less than 5 %"
	}
	return ""
}

var doubled = map[string]string{
	"cpu": "twice the CPUs", "generator": "twice the load generator's threads",
	"data iops": "twice the IOPS of the data's disk", "data throughput": "twice the throughput of the data's disk", "data latency": "half the latency of the data's disk",
	"wal iops": "twice the IOPS of the WAL's disk", "wal throughput": "twice the throughput of the WAL's disk", "wal latency": "half the latency of the WAL's disk",
}

// refusals lists the cells that were not predicted.
func (r Report) refusals() prose.Block {
	var all prose.List
	for _, c := range r.Cells {
		if c.Refused != "" {
			all = append(all, fmt.Sprintf("%s is not predicted: %s%s", c.Cell, c.Refused, phrase.When(c.Hint != "", " (%s)", c.Hint)))
		}
	}
	return all
}

// seconds formats a time as exactly as a prediction is.
func seconds(s float64) string {
	if s < 10 {
		return phrase.Duration(math.Round(10*s) / 10)
	}
	return phrase.Duration(math.Round(s))
}

// about formats a predicted number.
func about(f float64) string { return "~" + phrase.Count(f) }

func latency(s float64) string { return phrase.Latency(s * 1e9) }

func interval(e prediction.Estimate, format func(float64) string) string {
	if e == (prediction.Estimate{}) {
		return phrase.None
	}
	return format(e.Low) + " to " + format(e.High)
}

// change formats a ratio as a change in percent. Adding 0 makes a 0 of -0.
func change(ratio float64) string { return fmt.Sprintf("%+.0f %%", math.Round(100*(ratio-1))+0) }

// width is the number of characters of the longest bar.
const width = 20

// table is the table of a sweep, with bars. Environments beside it are of a basis: measured or imported.
func (s Swept) table(words experiment.Terms, basis string) prose.Block {
	t := prose.Table{Columns: []prose.Column{
		{Title: titles[s.Key], Right: true}, {Title: words.Rate, Right: true}, {Title: "90 % interval", Right: true}, {Title: "p95", Right: true}, {Title: "-~ predicted, # " + basis},
	}}
	highest := 0.0
	for _, p := range s.Points {
		if p.Prediction != nil {
			highest = max(highest, p.Prediction.TPS.High)
		}
	}
	for _, m := range s.Measured {
		highest = max(highest, m.TPS)
	}
	next := 0
	measured := func(until float64) {
		for ; next < len(s.Measured) && s.Measured[next].Value <= until; next++ {
			m := s.Measured[next]
			t.Rows = append(t.Rows, []string{s.value(m.Value), phrase.Count(m.TPS), basis, "", bar("#", m.TPS/highest) + " " + m.Environment})
		}
	}
	for _, p := range s.Points {
		measured(p.Value)
		if p.Prediction == nil {
			t.Rows = append(t.Rows, []string{s.value(p.Value), phrase.None, "refused", "", ""})
			continue
		}
		t.Rows = append(t.Rows, []string{s.value(p.Value), about(p.Prediction.TPS.Value), interval(p.Prediction.TPS, phrase.Count), nearly(p.Prediction.P95, latency),
			ranged(p.Prediction.TPS, highest) + phrase.When(p.Value == s.Knee, " knee")})
	}
	measured(math.Inf(1))
	return t
}

var titles = map[string]string{
	prediction.SweepIOPS: "IOPS", prediction.SweepThroughput: "Throughput", prediction.SweepLatency: "Latency", prediction.SweepClients: "Clients", prediction.SweepCPUs: "CPUs",
	prediction.SweepMemory: "Memory", prediction.SweepBuffers: "shared_buffers",
}

func (s Swept) value(v float64) string {
	switch s.Key {
	case prediction.SweepThroughput:
		return unit.Rate(v).String()
	case prediction.SweepLatency:
		return latency(v)
	case prediction.SweepMemory, prediction.SweepBuffers:
		return unit.Size(v).String()
	}
	return phrase.Count(v)
}

func bar(of string, share float64) string {
	return strings.Repeat(of, int(share*width+0.5))
}

// ranged is a bar with the interval at its end.
func ranged(e prediction.Estimate, highest float64) string {
	low := bar("-", e.Low/highest)
	return low + bar("~", e.High/highest)[len(low):]
}

// knee says where the knee is, whether bursts end, and what was refused.
func (s Swept) knee() string {
	text := fmt.Sprintf("%s: throughput is still rising at the end of the range.", s.Cell)
	switch {
	case s.Flat():
		text = fmt.Sprintf("%s: it has no effect in this range (less than 5 %%).", s.Cell)
	case s.Knee > 0 && s.Falls():
		text = fmt.Sprintf("%s: up to ~%s costs less than 5 %%.", s.Cell, s.value(s.Knee))
	case s.Knee > 0:
		text = fmt.Sprintf("%s: the knee is at ~%s; more would gain less than 5 %%.", s.Cell, s.value(s.Knee))
	case s.Falls():
		text = fmt.Sprintf("%s: throughput falls from the beginning of the range.", s.Cell)
	}
	if slices.ContainsFunc(s.Points, func(p prediction.Point) bool { return p.Prediction != nil && p.Prediction.Sustained != nil }) {
		text += " This is while bursts last; the prediction of one value says when they would end."
	}
	if i := slices.IndexFunc(s.Points, func(p prediction.Point) bool { return p.Refused != "" }); i >= 0 {
		text += fmt.Sprintf(" Refused: %s%s.", s.Points[i].Refused, phrase.When(s.Points[i].Hint != "", " (%s)", s.Points[i].Hint))
	}
	return text
}
