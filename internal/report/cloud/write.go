package cloud

import (
	"io"
	"strconv"

	"plinth/internal/instance"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
)

// Schema is the schema of the JSON that `plinth instances` prints.
const Schema = "plinth/instances/v1"

// JSON is a list of instances as JSON.
type JSON struct {
	Schema    string  `json:"schema"`
	Instances []Facts `json:"instances"`
}

// Facts is an instance as JSON, with derived values and the source of each figure.
type Facts struct {
	instance.Instance
	// FullLoad is how long a full balance of CPU credits lasts at full load, in seconds.
	FullLoad float64           `json:"full_load_s,omitempty"`
	Figures  []instance.Figure `json:"figures"`
}

// Options selects what is written.
type Options struct {
	Details bool // everything about each instance, not a table of them
	Width   int  // of the terminal, in characters
}

// Write writes instances as text, Markdown, CSV or JSON. CSV and JSON have all figures.
func Write(w io.Writer, all []instance.Instance, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Of: "of instances",
		Document: func() (prose.Document, error) {
			if !opts.Details {
				return Catalog(all), nil
			}
			var d prose.Document
			for _, i := range all {
				d = append(d, Instance(i)...)
			}
			return d, nil
		},
		Table: func() (prose.Table, error) { return fields(all), nil },
		Value: func() (any, error) {
			j := JSON{Schema: Schema}
			for _, i := range all {
				j.Instances = append(j.Instances, FactsOf(i))
			}
			return j, nil
		},
	})
}

// FactsOf adds derived values and sources to an instance.
func FactsOf(i instance.Instance) Facts {
	f := Facts{Instance: i, Figures: i.Figures()}
	if i.Credits != nil {
		f.FullLoad = fullLoad(*i.Credits).Seconds()
	}
	return f
}

// fields returns the figures for CSV: exact numbers, empty if not published.
func fields(all []instance.Instance) prose.Table {
	var t prose.Table
	for _, title := range []string{
		"name", "type", "service", "vcpus", "memory_bytes", "architecture", "processor",
		"ebs_iops", "ebs_bytes_s", "ebs_max_iops", "ebs_max_bytes_s", "network_mbit_s", "network_max_mbit_s",
		"drives", "drive_bytes", "drive_nvme", "drive_rotates",
		"credits_per_hour", "credits_most", "credits_baseline", "credits_launch", "credits_mode", "coremark", "numa_nodes",
	} {
		t.Columns = append(t.Columns, prose.Column{Title: title})
	}
	for _, i := range all {
		cells := []string{i.Name, i.Type, string(i.Service), strconv.Itoa(i.VCPUs), strconv.FormatInt(int64(i.Memory), 10), i.Architecture, i.Processor}
		cells = append(cells, exact(
			i.EBS.Baseline.IOPS, float64(i.EBS.Baseline.Throughput), i.EBS.Maximum.IOPS, float64(i.EBS.Maximum.Throughput),
			float64(i.Network.Baseline), float64(i.Network.Maximum), float64(i.Drives.Number), float64(i.Drives.Size),
		)...)
		nvme, rotates := "", ""
		if i.Drives.Number > 0 {
			nvme, rotates = strconv.FormatBool(i.Drives.NVMe), strconv.FormatBool(i.Drives.Disk)
		}
		cells = append(cells, nvme, rotates)
		var c instance.Credits
		if i.Credits != nil {
			c = *i.Credits
		}
		cells = append(cells, exact(c.PerHour, c.Most, c.Baseline, c.Launch)...)
		cells = append(cells, string(c.Mode))
		t.Rows = append(t.Rows, append(cells, exact(i.CoreMark, float64(i.NUMANodes))...))
	}
	return t
}

// exact formats numbers for programs; 0 is not published.
func exact(numbers ...float64) []string {
	var cells []string
	for _, f := range numbers {
		text := ""
		if f != 0 {
			text = phrase.Exact(f)
		}
		cells = append(cells, text)
	}
	return cells
}
