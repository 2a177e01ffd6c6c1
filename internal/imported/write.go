package imported

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"plinth/internal/capture"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/figure"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// Into says where a record is written.
type Into struct {
	Store   string
	Version string // of plinth
	Command []string
	Created time.Time
	Sources []string // the paths that were given
}

// Write writes a record of the runs, and returns its directory. If that fails, there is no record.
func (o *Outcome) Write(into Into) (string, error) {
	text, err := o.experimentYAML()
	if err != nil {
		return "", err
	}
	e, _, err := decode.Parse("experiment.yaml", text, "", nil)
	if err != nil {
		return "", fmt.Errorf("cannot describe what was imported: %w", err)
	}
	summary := record.Summary{
		Name: e.Name, Engine: e.Engine, Plinth: into.Version, Command: into.Command, Source: strings.Join(into.Sources, " "),
		Seed: e.Seed, Baseline: e.Baseline, Plan: verdict.PlanOf(e), Planned: len(o.Runs),
	}
	w, err := record.Create(into.Store, e.Name, into.Created, &summary, text)
	if err != nil {
		return "", err
	}
	if err := o.fill(w, &summary, text); err != nil {
		return "", errors.Join(err, w.Discard())
	}
	return w.Path(), w.Close()
}

// fill writes the content of the record.
func (o *Outcome) fill(w *record.Writer, summary *record.Summary, text []byte) error {
	if err := w.WriteImport(o.Import); err != nil {
		return err
	}
	rec := &record.Record{Path: w.Path(), ExperimentYAML: text, Import: &o.Import, Environments: map[string]record.Environment{}}
	for _, name := range o.driven() {
		rec.Environments[name] = o.environment(name)
		if err := w.WriteEnvironment(rec.Environments[name]); err != nil {
			return err
		}
	}
	for i := range o.Runs {
		run := o.Runs[i].record(i+1, rec.Environments[o.Runs[i].Environment])
		pending, err := w.Begin(run.RunID)
		if err != nil {
			return err
		}
		if err := pending.Commit(&run, o.Runs[i].Points); err != nil {
			return err
		}
		rec.Runs = append(rec.Runs, run)
	}
	summary.State, summary.Finished = record.Complete, time.Now().UTC().Truncate(time.Second)
	summary.Counts = record.Count(rec.Runs)
	summary.Samples, summary.Warnings = record.Samples(o.driven(), rec.Runs)
	summary.Warnings = append(summary.Warnings, o.Import.Notes...)
	rec.Summary = *summary
	if summary.Plan != nil {
		comparison, err := verdict.Of(rec, verdict.Options{})
		if err != nil {
			return err
		}
		summary.Verdicts = comparison.Verdicts
	}
	return w.Save(summary)
}

// described is the experiment of an imported record: what the files say of the load. Other keys have
// their defaults, which say nothing.
type described struct {
	Name         string         `yaml:"name"`
	Question     string         `yaml:"question"`
	Engine       string         `yaml:"engine"`
	Imported     bool           `yaml:"imported"`
	Dataset      map[string]int `yaml:"dataset,omitempty"`
	Workloads    []string       `yaml:"workloads,flow"`
	Clients      []int          `yaml:"clients,flow"`
	Threads      []int          `yaml:"threads,flow"`
	Cells        []string       `yaml:"cells,flow"`
	Rate         []float64      `yaml:"rate,omitempty,flow"`
	Duration     string         `yaml:"duration,omitempty"`
	Warmup       string         `yaml:"warmup"`
	Repeats      int            `yaml:"repeats"`
	Metric       string         `yaml:"metric"`
	Seed         int            `yaml:"seed"`
	Telemetry    string         `yaml:"telemetry"`
	Environments yaml.Node      `yaml:"environments"`
	Baseline     string         `yaml:"baseline"`
}

func (o *Outcome) experimentYAML() ([]byte, error) {
	d := described{
		Name: o.name, Question: "What did others measure?", Engine: o.Engine, Imported: true, Warmup: "0s", Metric: "tps", Seed: 1, Telemetry: "off",
		Baseline: o.driven()[0],
	}
	for _, r := range o.Runs {
		cell := r.ID.Cell
		d.Workloads, d.Clients, d.Threads = once(d.Workloads, cell.Workload), once(d.Clients, cell.Clients), once(d.Threads, cell.Threads)
		d.Cells = once(d.Cells, cell.Path())
		if cell.Rate > 0 {
			d.Rate = once(d.Rate, cell.Rate)
		}
		d.Repeats = max(d.Repeats, r.ID.Repeat)
	}
	slices.Sort(d.Clients)
	slices.Sort(d.Threads)
	slices.Sort(d.Rate)
	const longest = 720 * 3600 // that an experiment can declare
	if seconds := math.Round(o.Runs[0].Result.Duration); seconds >= 1 && seconds <= longest {
		d.Duration = fmt.Sprintf("%.0fs", seconds)
	}
	var scale int
	if _, err := fmt.Sscanf(o.Runs[0].Options["scaling factor"], "%d", &scale); err == nil && scale >= 0 && o.Engine == experiment.EnginePostgres {
		d.Dataset = map[string]int{"scale": scale}
	}
	d.Environments = yaml.Node{Kind: yaml.MappingNode}
	for _, name := range o.driven() { // a mapping of Go would lose their order
		var key, value yaml.Node
		facts := map[string]map[string]string{}
		if len(o.Facts) > 0 {
			facts["facts"] = o.Facts
		}
		if err := errors.Join(key.Encode(name), value.Encode(facts)); err != nil {
			return nil, err
		}
		d.Environments.Content = append(d.Environments.Content, &key, &value)
	}
	return yaml.Marshal(d)
}

// driven returns the environments that have runs.
func (o *Outcome) driven() []string {
	return slices.DeleteFunc(slices.Clone(o.Environments), func(name string) bool {
		return !slices.ContainsFunc(o.Runs, func(r Run) bool { return r.Environment == name })
	})
}

// once adds a value to a list that does not have it.
func once[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// environment describes an environment as far as the files do.
func (o *Outcome) environment(name string) record.Environment {
	e := record.Environment{
		Name: name, Kind: record.BasisImported, Server: experiment.EngineName(o.Engine), Facts: o.Facts, Settings: map[string]string{},
		Generator: "unknown", Transport: record.BasisImported,
	}
	if disk := o.said(name); disk != nil {
		e.Volumes = []record.Volume{{Role: experiment.RoleData, Is: disk}}
	}
	var tools []string
	for _, r := range o.Runs {
		if r.Environment == name {
			tools = once(tools, strings.TrimSpace(r.Tool+" "+r.Version))
		}
	}
	text := "imported: others measured it"
	if len(tools) > 0 {
		text += " with " + strings.Join(tools, ", ")
	}
	e.Warnings = []record.Note{{Rule: verdict.RuleImported, Text: text + "; plinth saw neither the machine nor the server, and checked only whether the figures agree with one another"}}
	return e
}

// record returns the run as records have it.
func (r *Run) record(number int, e record.Environment) record.Run {
	run := record.Run{
		RunID: r.ID, Number: number, Position: max(1, r.Position), Status: record.Valid, Warnings: r.Notes,
		Driver: record.Driver{Program: r.Tool, Version: cmp.Or(r.Version, "of unknown version")}, Result: r.Result,
	}
	if r.Began.Clock == capture.UTC {
		run.Started = r.Began.Time
	}
	run.Phases.Load = r.Result.Duration
	if r.Observed || len(r.Marks) > 0 {
		run.Telemetry = &record.Telemetry{Marks: r.Marks, Unmarked: r.unmarked}
	}
	if len(r.Points.Columns) > 0 {
		run.Figures, run.FigureGaps, run.Resources = figure.Of(figure.Input{Run: &run, Points: r.Points, Environment: e})
	}
	return run
}
