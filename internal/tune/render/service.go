package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isSystemd reports whether systemd can make a change: a file in /sys or /proc that neither
// sysctl nor udev sets, at boot, or a server's placement.
func isSystemd(c tune.Change) bool { return isTmpfile(c) || directive(c) != "" }

func isTmpfile(c tune.Change) bool {
	under := strings.HasPrefix(file(c), "/sys/") || strings.HasPrefix(file(c), "/proc/")
	return under && !isSysctl(c) && !isQueue(c) && directive(c) == ""
}

// directives holds the directives of systemd.exec(5) for a server's placement.
var directives = map[string]string{"cpus": "CPUAffinity=", "mems": "NUMAMask=", "numa_policy": "NUMAPolicy="}

func directive(c tune.Change) string {
	name := directives[c.Key.Knob]
	if c.Layer != knob.Placement || name == "" {
		return ""
	}
	if policy, nodes, has := strings.Cut(c.Then, " "); has && c.Key.Knob == "numa_policy" { // systemd has a directive for each
		return name + policy + "\n" + directives["mems"] + strings.TrimSpace(nodes)
	}
	return name + c.Then
}

func systemdFiles(made string, changes []tune.Change) []File {
	var tmpfiles, unit strings.Builder
	policy := false
	for _, c := range changes {
		if line := directive(c); line != "" {
			policy = policy || c.Key.Knob == "numa_policy"
			unit.WriteString(why(c) + line + "\n")
			continue
		}
		tmpfiles.WriteString(why(c))
		for _, path := range paths(c) {
			// tmpfiles.d(5): % begins a specifier, and the argument extends to the end of the
			// line.
			fmt.Fprintf(&tmpfiles, "w %s - - - - %s\n", strings.ReplaceAll(path, "%", "%%"), strings.ReplaceAll(c.Then, "%", "%%"))
		}
	}
	if strings.Contains(unit.String(), "NUMAMask=") && !policy { // the mask has no effect without a policy
		unit.WriteString("NUMAPolicy=bind\n")
	}
	var files []File
	if tmpfiles.Len() > 0 {
		files = append(files, File{"/etc/tmpfiles.d/90-plinth.conf", made + "# To apply now: systemd-tmpfiles --create this file.\n" + tmpfiles.String()})
	}
	if unit.Len() > 0 {
		files = append(files, File{"/etc/systemd/system/postgresql.service.d/90-plinth.conf",
			made + "# For the unit of your server (postgresql@15-main.service.d, redis-server.service.d).\n" +
				"# Then run systemctl daemon-reload, and restart the server.\n\n[Service]\n" + strings.TrimPrefix(unit.String(), "\n")})
	}
	return files
}

// isTuned reports whether a plugin of TuneD sets a change.
func isTuned(c tune.Change) bool {
	section, _ := tunedLine(c)
	return section != ""
}

// tunedPlugins holds the plugins that have an option for a knob, and that option.
// https://tuned-project.org/docs/manual
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

// tunedLine returns the section and the line of a change.
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

// tunedFiles returns a TuneD profile, with the sections in the order of the plan. Each disk has a
// section, with the scheduler first. Plain writes to /sys come last: a scheduler change resets
// other attributes of its queue.
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
	b.WriteString(made + "# Then run tuned-adm profile plinth.\n\n[main]\nsummary=Settings of a plinth tune plan\n")
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
