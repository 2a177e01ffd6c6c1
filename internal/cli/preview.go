package cli

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/tuning"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// previewSchema is the schema of what a dry run prints as JSON.
const previewSchema = "plinth/preview/v1"

// previewDocument is what an experiment will do and take, as JSON. Documented in
// docs/record.md.
type previewDocument struct {
	Schema       string               `json:"schema"`
	Name         string               `json:"name"`
	Question     string               `json:"question"`
	Seed         uint64               `json:"seed"`
	Order        []previewRun         `json:"order"`
	Environments []previewEnvironment `json:"environments"`
	Disks        []previewDisk        `json:"disks"`
	Memory       int64                `json:"memory_bytes"`
	Available    int64                `json:"available_memory_bytes"`
	SideBySide   bool                 `json:"side_by_side"`
	Switches     int                  `json:"switches"`
	SwitchTime   float64              `json:"switch_s"`
	LoadTime     float64              `json:"load_s"`
	RunTime      float64              `json:"run_s"`
	Total        float64              `json:"total_s"`
	Plan         *record.Plan         `json:"plan,omitempty"`
	Fewest       *verdict.Fewest      `json:"fewest,omitempty"`
	NoiseOf      []string             `json:"noise_of,omitempty"`
	Power        []verdict.Power      `json:"power,omitempty"`
	Tuned        []tuning.Environment `json:"tuned,omitempty"`
	LeftOut      []record.LeftOut     `json:"left_out,omitempty"`
	Warnings     []record.Note        `json:"warnings"`
}

type previewRun struct {
	Number      int    `json:"number"`
	Environment string `json:"environment"`
	experiment.Cell
	Repeat   int `json:"repeat"`
	Position int `json:"position"`
}

type previewEnvironment struct {
	Name       string  `json:"name"`
	Connected  bool    `json:"connected"`
	Disk       int64   `json:"disk_bytes"`
	WALDisk    int64   `json:"wal_disk_bytes"`
	Memory     int64   `json:"memory_bytes"`
	LoadTime   float64 `json:"load_s"`
	SwitchTime float64 `json:"switch_s"`
}

type previewDisk struct {
	Path   string `json:"path"`
	Mount  string `json:"mount"`
	Needed int64  `json:"needed_bytes"`
	Free   int64  `json:"free_bytes"`
}

// newPreview is p with how e will be decided, and what its blocks can see by the
// noise that the records in names found.
func newPreview(e *experiment.Experiment, p preview.Preview, names []string, noise []record.Noise, warnings []experiment.Warning) previewDocument {
	out := previewDocument{
		Schema: previewSchema, Name: e.Name, Question: e.Question, Seed: e.Seed, Order: orderOf(p.Schedule),
		Environments: []previewEnvironment{}, Disks: []previewDisk{}, Memory: p.Memory, Available: p.Available,
		SideBySide: p.SideBySide, Switches: p.Switches, SwitchTime: p.SwitchTime.Seconds(),
		LoadTime: p.LoadTime.Seconds(), RunTime: p.RunTime.Seconds(), Total: p.Total.Seconds(),
		Plan: verdict.PlanOf(e), NoiseOf: names, Tuned: p.Tuned, LeftOut: p.LeftOut, Warnings: []record.Note{},
	}
	out.Fewest, out.Power = fewestOf(out.Plan), verdict.PowerOf(e, out.Plan, noise, blockTime(e, p))
	for _, n := range p.Needs {
		out.Environments = append(out.Environments, previewEnvironment{
			n.Name, n.Connected, n.Volumes[experiment.RoleData], n.Volumes[experiment.RoleWAL], n.Memory, n.LoadTime.Seconds(), n.SwitchTime.Seconds(),
		})
	}
	for _, d := range p.Disks {
		out.Disks = append(out.Disks, previewDisk{d.Path, d.Mount, d.Needed, d.Free})
	}
	for _, w := range warnings {
		out.Warnings = append(out.Warnings, record.Note{Rule: w.Rule, Text: w.Text, Hint: w.Hint})
	}
	return out
}

func orderOf(schedule experiment.Schedule) []previewRun {
	order := []previewRun{}
	for _, slots := range schedule {
		for _, slot := range slots {
			order = append(order, previewRun{len(order) + 1, slot.Environment, slot.Cell, slot.Repeat, slot.Position})
		}
	}
	return order
}

// fewestOf is how many units a verdict takes at the end of a plan.
func fewestOf(plan *record.Plan) *verdict.Fewest {
	if plan == nil {
		return nil
	}
	alpha := plan.Looks[len(plan.Looks)-1].Alpha
	return &verdict.Fewest{Workload: stats.Fewest(alpha, plan.Family), Cell: stats.Fewest(alpha, plan.Cells)}
}
