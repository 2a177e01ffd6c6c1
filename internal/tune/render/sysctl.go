package render

import (
	"fmt"
	"strings"

	"plinth/internal/tune"
)

const sysctlRoot = "/proc/sys/"

// isSysctl says whether a change is one of sysctl(8): a file below /proc/sys.
func isSysctl(c tune.Change) bool { return strings.HasPrefix(file(c), sysctlRoot) }

// sysctlName is the name of a file as sysctl(8) has it. Where a part of the path has a
// dot in it (a network interface's), slashes stand between the parts: sysctl.d(5).
func sysctlName(path string) string {
	name := strings.TrimPrefix(path, sysctlRoot)
	if strings.Contains(name, ".") {
		return name
	}
	return strings.ReplaceAll(name, "/", ".")
}

func sysctlFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# At once: sysctl -p this file. After each boot: systemd-sysctl reads it.\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "%s%s = %s\n", why(c), sysctlName(file(c)), c.Then)
	}
	return []File{{"/etc/sysctl.d/90-plinth.conf", b.String()}}
}
