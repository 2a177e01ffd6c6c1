package environment

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Of returns those of the named environments that were described.
func Of(rec *record.Record, names []string) []record.Environment {
	var described []record.Environment
	for _, name := range names {
		if e, found := rec.Environments[name]; found {
			described = append(described, e)
		}
	}
	return described
}

// property is a name and a value: "data: filesystem" is "ext4".
type property struct{ name, value string }

// given precedes the name of a fact, which may be that of another property.
const given = "given: "

// properties returns what may distinguish environments, in order of importance. Settings are
// those in force.
func properties(e record.Environment) []property {
	all := []property{{"label", e.Label}}
	for _, name := range slices.Sorted(maps.Keys(e.Facts)) {
		all = append(all, property{given + name, e.Facts[name]})
	}
	all = append(all, []property{
		{"machine", e.At},
		{"instance, as declared", instanceWords(e.Instance)},
		{"server", strings.TrimSpace(e.Server + " " + e.Version)},
		{"kind", e.Kind},
		{"transport", e.Transport},
		{"load generator", e.Generator},
	}...)
	all = append(all, kubernetesProperties(e.Kubernetes)...)
	for _, v := range e.AllVolumes() {
		all = append(all,
			property{v.Role + " on", on(v)},
			property{v.Role + " over a network", overNetwork(v)},
			property{v.Role + " filesystem", v.Filesystem},
			property{v.Role + " mount options", v.Options},
			property{v.Role + " size", phrase.Bytes(v.Size)})
		all = append(all, storageProperties(v)...)
	}
	all = append(all, tunedProperties(e)...)
	all = append(all, limitProperties(e)...)
	all = append(all, replicaProperties(e)...)
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		if !ownNames.MatchString(name) {
			all = append(all, property{name, e.Settings[name]})
		}
	}
	return slices.DeleteFunc(all, func(p property) bool { return p.value == "" })
}

// on returns the device under a volume, with its disks if they are different. It returns "" for
// a volume that plinth created, whose loop device changes each time.
func on(v record.Volume) string {
	if len(v.Made) > 0 {
		return ""
	}
	if len(v.Disks) == 1 && path.Base(v.Source) == v.Disks[0] {
		return v.Source
	}
	return phrase.Join(", ", v.Source, strings.Join(v.Disks, " "))
}

// overNetwork describes how a volume is reached: "iSCSI, Longhorn". The round trip varies, and is
// no difference between environments.
func overNetwork(v record.Volume) string {
	var words []string
	for _, r := range v.Remote {
		text := r.Words()
		if !slices.Contains(words, text) { // the paths of a multipath disk are alike
			words = append(words, text)
		}
	}
	return strings.Join(words, "; ")
}

// ownNames matches settings for places and names, which differ between any two servers.
var ownNames = regexp.MustCompile(`_(file|directory|directories)$|^(port|listen_addresses|cluster_name|server_version|server_version_num|dir|unixsocket|pidfile|logfile|bind|protected-mode|replicaof|slaveof|tls-port)$`)

// Differences returns a table of the properties that differ; those that the experiment declares
// are marked.
func Differences(all []record.Environment) prose.Block {
	t := differenceTable(all)
	if len(t.Rows) == 0 && anyImported(all) {
		return prose.Paragraph(differsUnknown)
	}
	if len(t.Rows) == 0 {
		return prose.Paragraph("Except for their locations, no difference between the environments was found.")
	}
	return prose.WordTable(t)
}

func differenceTable(all []record.Environment) prose.Table {
	return propertyTable(all, func(values []string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
	})
}

// nothing returns the text for an empty value: a setting may be empty deliberately, as Redis's
// save "" is.
func nothing(e record.Environment, name string) string {
	if _, known := e.Settings[name]; known {
		return `""`
	}
	return phrase.None
}

// propertyTable returns a row for each property that wanted selects, and a column for each
// environment.
func propertyTable(all []record.Environment, wanted func(values []string) bool) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "What"}}, Keys: 1}
	var names []string
	of := make([]map[string]string, len(all))
	for i, e := range all {
		t.Columns = append(t.Columns, prose.Column{Title: e.Name})
		of[i] = map[string]string{}
		for _, p := range properties(e) {
			of[i][p.name] = p.value
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	}
	for _, name := range names {
		values := make([]string, len(all))
		for i := range all {
			values[i] = of[i][name]
		}
		if !wanted(values) {
			continue
		}
		row := []string{name + askedFor(all, name)}
		for i, value := range values {
			if value == "" {
				value = nothing(all[i], name)
			}
			row = append(row, value)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// asked marks the name of a setting that the experiment declares.
const asked = " (requested)"

// askedFor returns the mark if the experiment declares a setting.
func askedFor(all []record.Environment, name string) string {
	for _, e := range all {
		if _, declared := e.Declared[name]; declared || tunes(e, name) {
			return asked
		}
	}
	return ""
}

// All returns every property of every environment.
func All(all []record.Environment) prose.Document {
	t := propertyTable(all, func([]string) bool { return true })
	d := prose.Document{t}
	var lines prose.List
	for _, e := range all {
		if e.RoundTrip > 0 {
			lines = append(lines, fmt.Sprintf("%s: the round trip of an empty query takes %s", e.Name, phrase.Milliseconds(e.RoundTrip)))
		}
		for _, v := range e.AllVolumes() {
			for _, r := range v.Remote {
				if r.RoundTrip > 0 {
					lines = append(lines, fmt.Sprintf("%s: %s is reached over a network (%s)", e.Name, v.Role, r))
				}
			}
		}
	}
	d.Add(lines)
	return d
}
