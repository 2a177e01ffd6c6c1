package document

import (
	"strings"

	"plinth/internal/capture/sysstat/names"
)

// report takes a report of iostat or mpstat.
func (r *readings) report(e object) {
	cpus := r.header.banner.CPUs
	if cpu, ok := e["avg-cpu"].(object); ok {
		r.apply("avg-cpu", "all CPUs", cpu, share, func(h string) []names.Out { return names.AllCPUs(r.tool, h, cpus) })
	}
	for _, disk := range objects(e["disk"]) {
		r.disk(disk)
	}
	for _, cpu := range objects(e["cpu-load"]) {
		r.keyed("CPU", cpu["cpu"], cpu, share)
	}
	for _, node := range objects(e["node-load"]) {
		r.keyed("NODE", node["node"], node, share)
	}
	for _, sum := range objects(e["sum-interrupts"]) {
		r.keyed("CPU", sum["cpu"], sum, rate)
	}
	for _, list := range []string{"individual-interrupts", "soft-interrupts"} {
		for _, cpu := range objects(e[list]) {
			values := object{}
			for _, interrupt := range objects(cpu["intr"]) {
				if name, ok := interrupt["name"].(string); ok {
					values[name] = interrupt["value"]
				}
			}
			r.keyed("CPU", cpu["cpu"], values, rate)
		}
	}
}

// share and rate return the heading in the text for a name in the JSON.
func share(key string) string { return "%" + key }
func rate(key string) string  { return key + "/s" }

func objects(list any) []object {
	var all []object
	elements, _ := list.([]any)
	for _, e := range elements {
		if o, ok := e.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

// keyed takes the values of a CPU, node, disk or network interface.
func (r *readings) keyed(column string, key any, values object, heading func(string) string) {
	name, ok := key.(string)
	if !ok {
		return
	}
	label := strings.ToLower(column) + " " + name
	switch {
	case column == "CPU" && (name == "all" || name == "-1"):
		label = "all CPUs"
	case column == "DEV" || column == "IFACE":
		label = name
	}
	cpus := r.header.banner.CPUs
	tool := r.tool
	r.apply(column+" "+name, label, values, heading, func(h string) []names.Out { return names.Key(tool, column, name, h, cpus) })
}

// disk takes the values of one disk of iostat; a group (-g) has a space before its name.
func (r *readings) disk(disk object) {
	device, ok := disk["disk_device"].(string)
	if !ok {
		return
	}
	_, perSecond := disk["rrqm/s"]
	heading := func(key string) string { return diskHeading(key, perSecond) }
	name := strings.TrimSpace(device)
	outs := func(h string) []names.Out { return names.Disk(r.tool, name, h) }
	if name != device {
		outs = func(h string) []names.Out { return names.Own(r.tool, name, h) }
	}
	r.apply("disk "+device, name, disk, heading, outs)
}

// diskHeading returns the heading in the text for a name in the JSON of iostat. In older versions "rrqm"
// and "wrqm" are merged requests per second, "r" and "w" requests per second (write_json_ext_stat);
// in newer ones "rrqm" is a share, and "rrqm/s" the rate.
func diskHeading(key string, perSecond bool) string {
	switch key {
	case "util":
		return "%util"
	case "rrqm", "wrqm", "drqm", "rqm":
		if perSecond {
			return "%" + key
		}
		return key + "/s"
	case "r", "w", "rkB", "wkB":
		return key + "/s"
	}
	return strings.Replace(key, "_per_sec", "/s", 1)
}
