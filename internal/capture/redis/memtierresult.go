package redis

import (
	"fmt"
	"math"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// result adds a table to what was found. The mean of several runs is a fact. The best and the worst run
// are left out if each run has a table.
func (r *memtierReader) result(t *table, found *capture.Found) {
	total := t.total()
	switch {
	case strings.HasPrefix(t.title, "AGGREGATED"):
		found.Facts = append(found.Facts,
			capture.Fact{Source: "memtier_benchmark", Name: t.title + ", Totals, Ops/sec", Value: digits(total.ops)},
			capture.Fact{Source: "memtier_benchmark", Name: t.title + ", Totals, Avg. Latency", Value: capture.Milliseconds(total.times.Mean)})
		return
	case strings.HasSuffix(t.title, "ST RUN RESULTS") && strings.HasPrefix(r.tables[0].title, "RUN #"):
		return
	case t.title == "BEST RUN RESULTS":
		found.Notes = append(found.Notes, record.Note{Rule: capture.Unclear, Text: "of several runs, the output has only the best and the worst one by requests per second"})
	}
	found.Runs = append(found.Runs, r.run(t, *total))
	found.Notes = append(found.Notes, r.check(t, *total)...)
	if t.stopped {
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "the run was interrupted"})
	}
	if t.partial {
		found.Notes = append(found.Notes, record.Note{Rule: capture.LeftOut, Text: "the last second of the progress was left out: the run ended within it"})
	}
}

func (r *memtierReader) run(t *table, total row) capture.Run {
	run := capture.Run{
		Tool: "memtier_benchmark", Clients: r.load.threads * r.load.connections, Threads: r.load.threads, Pipeline: r.load.pipeline,
		Options: map[string]string{}, Began: t.began, Progress: t.progress,
		Result: record.Result{Loop: "closed", Duration: t.duration, Transactions: total.count, TPS: total.ops},
	}
	for name, value := range r.load.options {
		run.Options[name] = value
	}
	if t.title != allStats && t.title != "" {
		run.Options["run"] = t.title
	}
	if run.Result.Duration == 0 {
		run.Result.Duration = r.load.seconds
	}
	setLatency(&run.Result.Latency, total.times)
	if reads := total.hits + total.misses; reads > 0 {
		share := total.hits / reads
		run.Result.Hits = &share
	}
	for _, one := range t.rows {
		if one.name == "Totals" || one.ops == 0 {
			continue
		}
		script := record.ScriptResult{Name: one.name, Transactions: one.count, TPS: one.ops}
		setLatency(&script.Latency, one.times)
		run.Result.Scripts = append(run.Result.Scripts, script)
	}
	if len(run.Result.Scripts) == 1 {
		run.Workload = run.Result.Scripts[0].Name
	}
	return run
}

// check returns what contradicts itself in a table.
func (r *memtierReader) check(t *table, total row) []record.Note {
	var notes []record.Note
	sum := 0.0
	for _, one := range t.rows {
		if one.name != "Totals" {
			sum += one.ops
		}
		if text := one.times.Disorder(precision); text != "" {
			notes = append(notes, capture.Contradicts("%s of %s: %s", one.name, t.name(), text))
		}
	}
	if len(t.rows) > 1 && math.Abs(sum-total.ops) > 0.001*total.ops+0.01*float64(len(t.rows)) {
		notes = append(notes, capture.Contradicts("%s: the types of commands add up to %s requests/s, but the total is %s", t.name(), digits(sum), digits(total.ops)))
	}
	if t.duration > 0 && total.count > 0 {
		if rate := float64(total.count) / t.duration; math.Abs(rate-total.ops) > (0.01+0.001/t.duration)*rate {
			notes = append(notes, capture.Contradicts("%s: %d requests / %g s = %s/s, but it reports %s/s", t.name(), total.count, t.duration, digits(rate), digits(total.ops)))
		}
	}
	return append(notes, r.occupation(t, total)...)
}

// occupation compares the requests under way at a time, which are the rate times the mean latency, with
// those that the clients can have.
func (r *memtierReader) occupation(t *table, total row) []record.Note {
	clients := r.load.threads * r.load.connections
	most := clients * max(r.load.pipeline, 1)
	if clients == 0 || total.ops == 0 || strings.HasPrefix(r.load.options["rate-limiting"], "1") {
		return nil
	}
	cycle := float64(most) / total.ops * 1e9
	if total.times.Mean <= cycle*1.05 {
		return nil
	}
	text := fmt.Sprintf("%s: %d clients / %s requests/s = %s, but the mean latency is %s",
		t.name(), clients, digits(total.ops), capture.Milliseconds(float64(clients)/total.ops*1e9), capture.Milliseconds(total.times.Mean))
	if r.load.pipeline == 0 {
		return []record.Note{{Rule: capture.Unclear, Text: text + ": that is possible only with --pipeline, which the text does not state"}}
	}
	return []record.Note{{Rule: capture.Contradiction, Text: fmt.Sprintf("%s, with a pipeline of %d", text, r.load.pipeline)}}
}

func (t *table) name() string {
	if t.title == "" {
		return "the table"
	}
	return t.title
}
