package document

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/capture/sysstat/names"
)

// activity says how the JSON of sadf names the values of one activity.
type activity struct {
	key     string // of the name of a CPU, disk or interface; "" if there is none
	column  string // its heading in the text
	heading func(key string) string
}

// listed has the activities whose values can be metrics of plinth. The others keep the names of the
// JSON.
var listed = map[string]activity{
	"cpu-load":                   {"cpu", "CPU", share},
	"cpu-load-all":               {"cpu", "CPU", share},
	"process-and-context-switch": {heading: rate},
	"interrupts":                 {"intr", "INTR", interrupts},
	"swap-pages":                 {heading: rate},
	"paging":                     {heading: paging},
	"memory":                     {heading: memory},
	"queue":                      {heading: same},
	"disk":                       {"disk-device", "DEV", diskActivity},
	"net-dev":                    {"iface", "IFACE", network},
	"net-edev":                   {"iface", "IFACE", network},
	"psi-cpu":                    {heading: pressure("cpu")},
	"psi-io":                     {heading: pressure("io")},
	"psi-mem":                    {heading: pressure("mem")},
}

// subjects are the names of what a value is about, in the other activities.
var subjects = []string{"cpu", "number", "iface", "node", "device", "filesystem", "mountp", "line", "hugepages", "fchost", "name"}

func same(key string) string { return key }

func paging(key string) string {
	if key == "vmeff-percent" {
		return "%vmeff"
	}
	return key + "/s"
}

// interrupts: older versions call the value of an interrupt value.
func interrupts(key string) string {
	if key == "value" {
		return "intr/s"
	}
	return key
}

func network(key string) string {
	if key == "ifutil-percent" {
		return "%ifutil"
	}
	return key + "/s"
}

func memory(key string) string {
	if share, ok := strings.CutSuffix(key, "-percent"); ok {
		return "%" + share
	}
	return "kb" + key
}

func diskActivity(key string) string {
	switch key {
	case "util-percent":
		return "%util"
	case "rkB", "wkB", "dkB":
		return key + "/s"
	case "rd_sec", "wr_sec", "dc_sec":
		return key + "/s"
	}
	return key
}

// pressure: some_avg and full_avg are shares of the interval (json_stats.c), the others are the
// kernel's own averages over 10, 60 and 300 seconds.
func pressure(resource string) func(string) string {
	return func(key string) string {
		kind, window, _ := strings.Cut(key, "_")
		if window == "avg" && kind != "" {
			return "%" + kind[:1] + resource
		}
		return "psi-" + resource + "." + key
	}
}

// activities takes the activities of an element of sadf -j.
func (r *readings) activities(values object) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == "timestamp" {
			continue
		}
		switch v := values[key].(type) {
		case object:
			r.activity(key, v)
			r.activities(v)
		case []any:
			for _, o := range objects(v) {
				r.activity(key, o)
			}
		}
	}
}

// activity takes the values of one activity, or of one of its disks, CPUs or interfaces.
func (r *readings) activity(name string, values object) {
	a, ok := listed[name]
	if ok && a.key != "" {
		values = withoutSectors(values)
		r.keyed(a.column, values[a.key], values, a.heading)
		return
	}
	heading := a.heading
	if !ok {
		prefix := name + "."
		for _, key := range subjects {
			if subject := text(values[key]); subject != "" {
				prefix += subject + "."
				values = maps.Clone(values)
				delete(values, key)
				break
			}
		}
		heading = func(key string) string { return prefix + key }
		name = prefix
	}
	r.apply(name, "", values, heading, r.outs)
}

// withoutSectors leaves out the amounts in sectors of a disk, if the same amounts are there in kB.
func withoutSectors(values object) object {
	if _, ok := values["rkB"]; !ok {
		return values
	}
	values = maps.Clone(values)
	for _, key := range []string{"rd_sec", "wr_sec", "dc_sec", "avgrq-sz", "avgqu-sz"} {
		delete(values, key)
	}
	return values
}

func (r *readings) outs(heading string) []names.Out {
	return names.Key(r.tool, "", "", heading, r.header.banner.CPUs)
}

// text returns a name or number as a text.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
