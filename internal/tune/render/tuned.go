package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"plinth/internal/tune"
)

// isTuned says whether a plugin of TuneD sets a change.
func isTuned(c tune.Change) bool {
	section, _ := tunedLine(c)
	return section != ""
}

// tunedPlugins are the plugins that have a name of their own for a knob, and their
// option. https://tuned-project.org/docs/manual
var tunedPlugins = map[string][2]string{
	"scaling_governor":              {"cpu", "governor"},
	"energy_performance_preference": {"cpu", "energy_performance_preference"},
	"cpu_dma_latency":               {"cpu", "force_latency"},
	"pm_qos_resume_latency_us":      {"cpu", "pm_qos_resume_latency_us"},
	"boost":                         {"cpu", "boost"},
	"no_turbo":                      {"cpu", "no_turbo"},
	"transparent_hugepage":          {"vm", "transparent_hugepages"},
	"transparent_hugepage_defrag":   {"vm", "transparent_hugepage.defrag"},
	"scheduler":                     {"disk", "elevator"},
	"read_ahead_kb":                 {"disk", "readahead"},
}

// tunedLine is the section that a change belongs to, and its line there.
func tunedLine(c tune.Change) (section, line string) {
	plugin, named := tunedPlugins[c.Key.Knob]
	switch {
	case isSysctl(c):
		return "sysctl", sysctlName(file(c)) + "=" + c.Then
	case isQueue(c) && named:
		return "disk " + device(c), plugin[1] + "=" + c.Then
	case named && c.Key.On == "":
		return plugin[0], plugin[1] + "=" + c.Then
	case isTmpfile(c), isQueue(c):
		var lines []string
		for _, path := range paths(c) {
			lines = append(lines, path+"="+c.Then)
		}
		return "sysfs", strings.Join(lines, "\n")
	}
	return "", ""
}

// tunedFiles is a profile of TuneD: sections in the order in which the plan has them.
// Disks have one each, with the scheduler first. What is written to /sys as it is comes
// last: a scheduler that changes resets other attributes of its queue.
func tunedFiles(made string, changes []tune.Change) []File {
	lines := map[string]string{}
	var order []string
	for _, c := range changes {
		section, line := tunedLine(c)
		if _, known := lines[section]; !known {
			order = append(order, section)
		}
		text := strings.TrimPrefix(why(c), "\n") + line + "\n"
		if path.Base(file(c)) == "scheduler" {
			lines[section] = text + lines[section]
		} else {
			lines[section] += text
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return isLast(a) - isLast(b) })
	var b strings.Builder
	b.WriteString(made + "# Then tuned-adm profile plinth.\n\n[main]\nsummary=What plinth tune plan says\n")
	for _, section := range order {
		name, options := section, ""
		if device, isDisk := strings.CutPrefix(section, "disk "); isDisk {
			name, options = "disk_"+device, "type=disk\ndevices="+device+"\n"
		}
		fmt.Fprintf(&b, "\n[%s]\n%s%s", name, options, lines[section])
	}
	return []File{{"/etc/tuned/plinth/tuned.conf", b.String()}}
}

func isLast(section string) int {
	if section == "sysfs" {
		return 1
	}
	return 0
}
