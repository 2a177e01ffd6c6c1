package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/tune"
)

const sysctlRoot = "/proc/sys/"

// isSysctl reports whether a change belongs to sysctl(8): a file below /proc/sys.
func isSysctl(c tune.Change) bool { return strings.HasPrefix(file(c), sysctlRoot) }

// sysctlName returns the name of a file for sysctl(8). If a part of the path contains a dot (as
// names of network interfaces may), slashes separate the parts: sysctl.d(5).
func sysctlName(path string) string {
	name := strings.TrimPrefix(path, sysctlRoot)
	if strings.Contains(name, ".") {
		return name
	}
	return strings.ReplaceAll(name, "/", ".")
}

func sysctlFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# To apply now: sysctl -p this file. At each boot, systemd-sysctl reads it.\n")
	for _, c := range changes {
		fmt.Fprintf(&b, "%s%s = %s\n", why(c), sysctlName(file(c)), c.Then)
	}
	return []File{{"/etc/sysctl.d/90-plinth.conf", b.String()}}
}

// bootParameters holds functions that return the kernel's boot parameter for a value of a knob;
// "" if there is none for that value. https://docs.kernel.org/admin-guide/kernel-parameters.html
var bootParameters = map[string]func(value string) string{
	"transparent_hugepage": func(v string) string { return "transparent_hugepage=" + v },
	"vm.nr_hugepages":      func(v string) string { return "hugepages=" + v },
	"nr_hugepages":         func(v string) string { return v }, // of one node; cmdlineFiles joins all nodes in one parameter
	"scaling_governor":     func(v string) string { return "cpufreq.default_governor=" + v },
	"kernel.numa_balancing": func(v string) string {
		return map[string]string{"0": "numa_balancing=disable", "1": "numa_balancing=enable"}[v]
	},
	"kernel.sched_autogroup_enabled": func(v string) string { return map[string]string{"0": "noautogroup"}[v] },
	"smt":                            func(v string) string { return map[string]string{"off": "nosmt", "forceoff": "nosmt=force"}[v] },
}

func isBootParameter(c tune.Change) bool { return bootParameter(c) != "" }

func bootParameter(c tune.Change) string {
	parameter, found := bootParameters[c.Key.Knob]
	k := c.Knob()
	switch {
	case !found, k.Scope == knob.OfCPU && c.Key.On != "": // the parameter applies to all CPUs
		return ""
	}
	return parameter(c.Then)
}

// cmdlineFiles returns a GRUB file. Huge pages of several nodes share one parameter (Linux 5.15
// and later): hugepages=0:512,1:1024.
func cmdlineFiles(made string, changes []tune.Change) []File {
	var b, nodes strings.Builder
	b.WriteString(made + "# Debian and Ubuntu read this file: run update-grub, and reboot.\n")
	var words, perNode []string
	for _, c := range changes {
		text := why(c)
		if k := c.Knob(); k.Scope == knob.OfNode && c.Key.On != "" {
			perNode = append(perNode, strings.TrimPrefix(c.Key.On, "node")+":"+bootParameter(c))
			nodes.WriteString(text)
			continue
		}
		words = append(words, bootParameter(c))
		b.WriteString(text + comment("  "+bootParameter(c)))
	}
	if perNode != nil {
		slices.SortFunc(perNode, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
		words = append(words, "hugepages="+strings.Join(perNode, ","))
		b.WriteString(nodes.String() + comment("  "+words[len(words)-1]))
	}
	b.WriteString("# On systems of Red Hat, run this instead:\n" + comment(`  grubby --update-kernel=ALL --args="`+strings.Join(words, " ")+`"`) +
		"# On SUSE, add the words to GRUB_CMDLINE_LINUX in /etc/default/grub, and run\n#   grub2-mkconfig -o /boot/grub2/grub.cfg\n")
	b.WriteString("\n" + `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ` + strings.Join(words, " ") + `"` + "\n")
	return []File{{"/etc/default/grub.d/90-plinth.cfg", b.String()}}
}
