package knob

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/knobs.md")

// TestDocument checks that docs/knobs.md matches the catalog.
func TestDocument(t *testing.T) {
	const path = "../../docs/knobs.md"
	want := documentation()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s does not match the catalog: go test ./internal/knob -run TestDocument -update (%v)", path, err)
	}
}

const introduction = `# What can be tuned

<!-- Generated from the catalog by go test ./internal/knob -run TestDocument -update: edit the catalog. -->

A knob is a value that can be tuned; it has the name that its own documentation uses. If a knob does not apply to the whole
machine, ` + "`@`" + ` and a target follow its name: ` + "`read_ahead_kb@data`" + ` applies to the data disk, ` + "`read_ahead_kb@nvme0n1`" + ` to a disk
by name, ` + "`scaling_governor`" + ` to all CPUs, ` + "`scaling_governor@8-13`" + ` to some, ` + "`nr_hugepages@node0`" + ` to a NUMA node,
` + "`smp_affinity_list@24`" + ` to an interrupt, ` + "`options@data`" + ` to a mount, and ` + "`vcpupin@vm1`" + ` to a libvirt domain.
Except for those of the layers (sections) Server, Pod and Placement, knobs affect every process on the machine. The catalog does
not state how much a value gains or costs: measure it.

Values may have a unit: ` + "`64KiB`" + `, ` + "`2s`" + `, ` + "`10%`" + `; a number without a unit is in the knob's own unit. Except
for server parameters, ` + "`MB`" + ` is refused, because it means 1,000,000 bytes for a disk but 1,048,576 for PostgreSQL. A
default that is not listed depends on the machine. *needs* shows what a change requires; *changes* lists other knobs that the
kernel then changes, and that plinth restores, too.
`

var intros = map[Layer]string{
	Hypervisor: "The libvirt domain of a virtual machine. These knobs take effect when the domain is next started.",
	Kernel:     "Files in `/proc/sys` and `/sys`.",
	CPU:        "Most virtual machines have none of these knobs.",
	Placement:  "The CPUs and memory that a server may use, and the CPUs that may handle an interrupt.",
	Block:      "The queue of a disk, `/sys/block/{device}/queue`.",
	Mount:      "Options of a mounted filesystem.",
	Pod: "What the pod of a server on Kubernetes asks its node for. The amounts are the environment's `limits`. As soon as one\n" +
		"environment of an experiment has one of these knobs, each environment on Kubernetes has the default of those that it lacks.",
}

func documentation() string {
	var b strings.Builder
	b.WriteString(introduction)
	for _, layer := range Layers() {
		if layer == Server {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| knob | what it does | value | default | needs | changes | risk |\n|---|---|---|---|---|---|---|\n",
			title(layer), intros[layer])
		for _, k := range All() {
			if k.Layer == layer {
				b.WriteString(line(k))
			}
		}
		if layer == Mount {
			b.WriteString(remounts())
		}
	}
	b.WriteString(servers())
	return b.String()
}

// title returns a layer as a heading.
func title(layer Layer) string {
	if layer == CPU {
		return "CPU"
	}
	return strings.ToUpper(string(layer)[:1]) + string(layer)[1:]
}

// line returns a knob as a row of its layer's table.
func line(k Knob) string {
	var changes []string
	for _, name := range k.Coupled {
		changes = append(changes, "`"+name+"`")
	}
	doc := k.Doc
	if k.Versions != "" {
		doc += " (" + k.Versions + ")"
	}
	return tableRow(fmt.Sprintf("[`%s`](%s)", k.Name, k.Source.URL), doc, k.Takes(), code(k.Default), string(k.Needs), strings.Join(changes, " "), k.Risk)
}

func tableRow(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// remounts returns the table of mount options.
func remounts() string {
	var b strings.Builder
	b.WriteString("\nThe tables show what `mount -o remount` does, as tested on Linux 6.18. An ignored or refused option needs a fresh mount.\n")
	for _, filesystem := range []string{"", "ext4", "xfs", "btrfs"} {
		name := filesystem
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(&b, "\n| %s | a remount | what it does |\n|---|---|---|\n", name)
		for _, o := range MountOptions() {
			if filesystem == "" && len(o.Filesystems) > 0 || filesystem != "" && !slices.Contains(o.Filesystems, filesystem) {
				continue
			}
			remount := map[Remounted]string{Changes: "changes it", Ignored: "succeeds, changes nothing", Refused: "is refused"}[o.Remount]
			doc := o.Doc
			if o.Unsafe {
				doc += "; **weakens durability**"
			}
			b.WriteString(tableRow("`"+o.Name+"`", remount, doc))
		}
	}
	return b.String()
}

// servers returns the section on parameters of servers.
func servers() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
## Server

plinth knows %d parameters of PostgreSQL 13 to 18 and %d of Redis 6.2 to 8.2 and Valkey, with type, unit and range, as
captured from the servers (`+"`pg_settings`, `CONFIG GET *`"+`). The type and range that the tuned server reports take
precedence; a parameter of an extension (`+"`pg_stat_statements.max`"+`) is passed on unchecked. These values weaken
durability. In a profile and under `+"`tuning`"+` they are refused without `+"`unsafe: true`"+` (`+"`plinth tune`: `--unsafe`"+`); the
`+"`settings`"+` of an experiment accept them:

| parameter | value | risk |
|---|---|---|
`, len(Parameters(postgres)), len(Parameters(redis)))
	for _, k := range Parameters(postgres) {
		if len(k.Unsafe) > 0 {
			b.WriteString(tableRow("`"+k.Name+"`", quoted(k.Unsafe), k.Risk))
		}
	}
	b.WriteString("\nThese values determine how much data Redis may lose in a crash; the weakest value is listed first. The plan marks values\n" +
		"that are weaker than the current ones:\n\n| parameter | value | risk |\n|---|---|---|\n")
	for _, k := range Parameters(redis) {
		if len(k.Persistence) > 0 {
			b.WriteString(tableRow("`"+k.Name+"`", quoted(k.Persistence), k.Risk))
		}
	}
	return b.String()
}

func quoted(values []string) string {
	var list []string
	for _, value := range values {
		if value == "" {
			value = `""`
		}
		list = append(list, "`"+value+"`")
	}
	return strings.Join(list, " ")
}
