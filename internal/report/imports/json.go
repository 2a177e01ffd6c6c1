package imports

import (
	"plinth/internal/capture"
	"plinth/internal/device/meaning"
	"plinth/internal/imported"
	"plinth/internal/record"
)

// JSON holds what plinth import --json prints: import.json, and the figures of runs and disks.
type JSON struct {
	record.Import
	Record string `json:"record,omitempty"` // the path of the record; absent if there is no run
	Runs   []Run  `json:"runs"`
	Disks  []Disk `json:"disks"`
	// PostgreSQL holds what the disks mean for it, by environment.
	PostgreSQL map[string][]meaning.Statement `json:"postgresql,omitempty"`
}

// Run is one run, as the record will have it.
type Run struct {
	File string `json:"file"`
	record.RunID
	Tool    string            `json:"tool"`
	Version string            `json:"version,omitempty"`
	Began   string            `json:"began,omitempty"` // UTC
	Options map[string]string `json:"options,omitempty"`
	Result  record.Result     `json:"result"`
	Marks   []record.Mark     `json:"marks,omitempty"`
	Notes   []record.Note     `json:"notes,omitempty"`
}

// Disk is one job of fio.
type Disk struct {
	File        string    `json:"file"`
	Environment string    `json:"environment"`
	Job         string    `json:"job"`
	Version     string    `json:"version,omitempty"`
	Block       int64     `json:"block_bytes,omitempty"`
	Depth       int       `json:"depth,omitempty"` // requests under way, of all its processes
	Read        *Transfer `json:"read,omitempty"`
	Write       *Transfer `json:"write,omitempty"`
	Sync        *Times    `json:"sync,omitempty"`
}

// Transfer holds what a job read or wrote.
type Transfer struct {
	IOPS  float64 `json:"iops"`
	Bytes float64 `json:"bytes_per_s"`
	Times
}

// Times are latencies in nanoseconds; percentiles are from 0 to 100.
type Times struct {
	Mean        float64      `json:"mean_ns,omitempty"`
	Max         int64        `json:"max_ns,omitempty"`
	Percentiles []Percentile `json:"percentiles,omitempty"`
}

// Percentile is one point of a distribution.
type Percentile struct {
	Share float64 `json:"percentile"`
	Value int64   `json:"ns"`
}

// NewJSON returns the JSON of an import, which wrote a record at path ("" for none).
func NewJSON(o *imported.Outcome, path string) JSON {
	j := JSON{Import: o.Import, Record: path, Runs: []Run{}, Disks: []Disk{}}
	for _, r := range o.Runs {
		run := Run{File: r.File, RunID: r.ID, Tool: r.Tool, Version: r.Version, Options: r.Options, Result: r.Result, Marks: r.Marks, Notes: r.Notes}
		if r.Began.Clock == capture.UTC {
			run.Began = r.Began.Time.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		j.Runs = append(j.Runs, run)
	}
	for _, d := range o.Disks {
		disk := Disk{File: d.File, Environment: d.Environment, Job: d.Name, Version: d.Version, Block: d.Block, Read: transfer(d.Read), Write: transfer(d.Write)}
		if d.Depth > 0 {
			disk.Depth = d.Depth * max(1, d.Jobs)
		}
		if d.Sync != nil {
			t := timesOf(*d.Sync)
			disk.Sync = &t
		}
		j.Disks = append(j.Disks, disk)
	}
	for _, environment := range o.Environments {
		if all := o.Meaning(environment); len(all) > 0 {
			if j.PostgreSQL == nil {
				j.PostgreSQL = map[string][]meaning.Statement{}
			}
			j.PostgreSQL[environment] = all
		}
	}
	return j
}

func transfer(t *capture.Transfer) *Transfer {
	if t == nil {
		return nil
	}
	return &Transfer{t.IOPS, t.Bytes, timesOf(t.Times)}
}

func timesOf(t capture.Times) Times {
	all := Times{Mean: t.Mean, Max: t.Max}
	for _, p := range t.Percentiles {
		all.Percentiles = append(all.Percentiles, Percentile(p))
	}
	return all
}
