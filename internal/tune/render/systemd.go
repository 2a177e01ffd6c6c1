package render

import (
	"fmt"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isSystemd says whether a change is one of those that systemd can make: a file of
// /sys or /proc that neither sysctl nor udev sets, at boot, or where a server runs.
func isSystemd(c tune.Change) bool { return isTmpfile(c) || directive(c) != "" }

func isTmpfile(c tune.Change) bool {
	under := strings.HasPrefix(file(c), "/sys/") || strings.HasPrefix(file(c), "/proc/")
	return under && !isSysctl(c) && !isQueue(c) && directive(c) == ""
}

// directives are those of systemd.exec(5) for where a server runs.
var directives = map[string]string{"cpus": "CPUAffinity=", "mems": "NUMAMask=", "numa_policy": "NUMAPolicy="}

func directive(c tune.Change) string {
	name := directives[c.Key.Knob]
	if c.Layer != knob.Placement || name == "" {
		return ""
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
			// tmpfiles.d(5): % begins a specifier, and the argument goes to the line's end.
			fmt.Fprintf(&tmpfiles, "w %s - - - - %s\n", strings.ReplaceAll(path, "%", "%%"), strings.ReplaceAll(c.Then, "%", "%%"))
		}
	}
	if strings.Contains(unit.String(), "NUMAMask=") && !policy { // without a policy the mask says nothing
		unit.WriteString("NUMAPolicy=bind\n")
	}
	var files []File
	if tmpfiles.Len() > 0 {
		files = append(files, File{"/etc/tmpfiles.d/90-plinth.conf", made + "# At once: systemd-tmpfiles --create this file.\n" + tmpfiles.String()})
	}
	if unit.Len() > 0 {
		files = append(files, File{"/etc/systemd/system/postgresql.service.d/90-plinth.conf",
			made + "# For the unit of your server (postgresql@15-main.service.d, redis-server.service.d).\n" +
				"# Then systemctl daemon-reload, and restart the server.\n\n[Service]\n" + strings.TrimPrefix(unit.String(), "\n")})
	}
	return files
}
