// Package render writes a plan as configuration files that an administrator installs, for
// example for sysctl.d, udev or systemd. The values in these files are in force from the next
// boot on, without plinth.
package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/tune"
)

// File is a configuration file for an administrator.
type File struct {
	Name    string // where to install it: "/etc/sysctl.d/90-plinth.conf"
	Content string
}

// format is an output format.
type format struct {
	name string
	// holds reports whether the format can express a change.
	holds func(tune.Change) bool
	// files renders the changes that the format holds, at least one.
	files func(made string, changes []tune.Change) ([]File, error)
}

// formats lists all formats. For a change that the requested format cannot hold, the first other
// one that can is suggested.
var formats = []format{
	{"sysctl.d", isSysctl, surely(sysctlFiles)},
	{"kernel-cmdline", isBootParameter, surely(cmdlineFiles)},
	{"udev", isQueue, surely(udevFiles)},
	{"systemd", isSystemd, surely(systemdFiles)},
	{"tuned", isTuned, surely(tunedFiles)},
	{"fstab", isMount, surely(fstabFiles)},
	{"mdadm.conf", isArray, surely(mdadmFiles)},
	{"libvirt", isDomain, libvirtFiles},
	{"postgresql.conf", isOf("postgres"), surely(postgresFiles)},
	{"redis.conf", isOf("redis"), surely(redisFiles)},
	{"cnpg", isOfCluster, surely(clusterFiles)},
	{"shell", isShell, surely(shellFiles)},
}

// surely adapts a format that cannot fail.
func surely(files func(string, []tune.Change) []File) func(string, []tune.Change) ([]File, error) {
	return func(made string, changes []tune.Change) ([]File, error) { return files(made, changes), nil }
}

// Formats returns the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Render writes a plan in a format. It includes values that are already in force: they may not
// survive the next boot. The end of the file lists what this format cannot hold, with a format
// that can. Render returns an error for an unknown format, or one that cannot hold any of the
// plan.
func Render(p *tune.Plan, name string) ([]File, error) {
	at := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if at < 0 {
		return nil, hint.Errorf(hint.DidYouMean(name, Formats(), "use one of "+strings.Join(Formats(), ", ")), "there is no format %q", name)
	}
	var held, left []tune.Change
	for _, c := range p.Changes {
		switch {
		case c.State == tune.NotApplicable || c.Refused || c.Needs == knob.CannotBeSet:
		case strings.ContainsFunc(c.Then, unicode.IsControl):
			return nil, fmt.Errorf("cannot write %s into a file: its value contains a control character", c.Key)
		case formats[at].holds(c):
			held = append(held, c)
		default:
			left = append(left, c)
		}
	}
	if held == nil {
		return nil, hint.Errorf(elsewhere(left), "the format %s cannot hold any change of this plan", name)
	}
	made := "Made by plinth tune render --to " + name
	if len(p.Profiles) > 0 {
		made += " of " + strings.Join(p.Profiles, ", ")
	}
	files, err := formats[at].files(comment(made), held)
	if err != nil {
		return nil, err
	}
	if name != "libvirt" { // it has a different comment syntax
		files[0].Content += leftOut(left)
	}
	return files, nil
}

// homes returns the formats that can hold a change, except for a shell script.
func homes(c tune.Change) (names []string) {
	for _, f := range formats {
		if f.name != "shell" && f.holds(c) {
			names = append(names, f.name)
		}
	}
	return names
}

func elsewhere(left []tune.Change) string {
	var names []string
	for _, c := range left {
		names = append(names, homes(c)...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); names == nil {
		return "no file can hold the changes of this plan"
	}
	return "use one of " + strings.Join(names, ", ")
}

// leftOut lists what a file does not hold, by the format that does.
func leftOut(left []tune.Change) string {
	var order []string
	lines := map[string][]string{}
	for _, c := range left {
		where := "by hand"
		if names := homes(c); names != nil {
			where = "--to " + names[0]
		}
		if lines[where] == nil {
			order = append(order, where)
		}
		lines[where] = append(lines[where], fmt.Sprintf("%s = %s", c.Key, c.Then))
	}
	var b strings.Builder
	for i, where := range order {
		if i == 0 {
			b.WriteString("\n# Other changes of this plan, not in this file:\n")
		}
		b.WriteString(comment("  " + where + ": " + strings.Join(lines[where], ", ")))
	}
	return b.String()
}

// comment returns text as a single comment line.
func comment(text string) string {
	return strings.TrimRight("# "+oneLine(text), " ") + "\n"
}

func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// why returns the comment above a line: the reason, the source and the risk.
func why(c tune.Change) string {
	text := "\n"
	if c.Reason != "" {
		text += comment(c.Reason)
	}
	if source := c.Source.String(); source != "" {
		text += comment("Source: " + source)
	}
	if c.Risk != "" {
		text += comment("Risk: " + c.Risk)
	}
	return text
}

// file returns the kernel file of a change; "" for none.
func file(c tune.Change) string {
	if len(c.Files) > 0 {
		return c.Files[0]
	}
	k := c.Knob()
	if strings.Contains(k.File, "{") { // the object does not exist here
		return ""
	}
	return k.File
}

// paths returns the files that a change writes; for all CPUs one pattern, which systemd and
// shells expand.
func paths(c tune.Change) []string {
	k := c.Knob()
	if k.Scope == knob.OfCPU && c.Key.On == "" && strings.Contains(k.File, "{cpu}") {
		return []string{strings.ReplaceAll(k.File, "{cpu}", "[0-9]*")}
	}
	if len(c.Files) > 0 {
		return c.Files
	}
	if path := file(c); path != "" {
		return []string{path}
	}
	return nil
}
