package knob

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/knobs.md anew")

// TestDocument: docs/knobs.md is what the catalog says.
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
		t.Errorf("%s is not what the catalog says: go test ./internal/knob -run TestDocument -update (%v)", path, err)
	}
}

const introduction = `# What can be tuned

<!-- Made from the catalog by go test ./internal/knob -run TestDocument -update: edit it there. -->

A knob is named as its own documentation spells it; what it belongs to stands after an @: ` + "`vm.swappiness`" + ` for the
machine, ` + "`read_ahead_kb@data`" + ` for the disk of the data or ` + "`read_ahead_kb@nvme0n1`" + ` for one by its name,
` + "`scaling_governor`" + ` for all CPUs or ` + "`scaling_governor@8-13`" + ` for some, ` + "`nr_hugepages@node0`" + ` for a NUMA node,
` + "`smp_affinity_list@24`" + ` for an interrupt, ` + "`options@data`" + ` for a mount, ` + "`vcpupin@vm1`" + ` for a domain of libvirt. All
below the server and its placement change the machine for everything that runs on it. What a value is worth is not said
here: measure it.

Values may have a unit: ` + "`64KiB`" + `, ` + "`2s`" + `, ` + "`10%`" + `; a bare number is in the knob's own. ` + "`MB`" + ` is refused below the
server, since for disks it is a million bytes and for PostgreSQL it is not. Where a default is missing it depends on
the machine. *Changes* are the knobs that the kernel changes along with it; plinth puts them back with it.
`

var intros = map[Layer]string{
	Hypervisor: "The domain of a virtual machine, as libvirt describes it. All of these act when it starts the next time.",
	Kernel:     "Files of `/proc/sys`, and of `/sys/kernel/mm`.",
	CPU:        "Most virtual machines have none of these.",
	Placement:  "Which CPUs and memory a server, and which CPUs an interrupt, may use.",
	Block:      "The queue of a disk, `/sys/block/{device}/queue`.",
	Mount:      "Options of a mounted filesystem.",
}

func documentation() string {
	var b strings.Builder
	b.WriteString(introduction)
	for _, layer := range Layers() {
		if layer == Server {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| knob | what it does | value | default | needs | changes | risk |\n|---|---|---|---|---|---|---|\n",
			strings.ToUpper(string(layer)[:1])+string(layer)[1:], intros[layer])
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

// line is a knob as a row of its layer's table.
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

// remounts is the table of mount options.
func remounts() string {
	var b strings.Builder
	b.WriteString("\nWhat `mount -o remount` does with an option, as tried on Linux 6.18. What is ignored or refused needs a fresh mount.\n")
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

// servers is what there is of parameters of servers.
func servers() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
## Server

%d parameters of PostgreSQL 13 to 18 and %d of Redis 6.2 to 8.2 and Valkey are known, with type, unit and range, as
the servers themselves have them (`+"`pg_settings`, `CONFIG GET *`"+`). What the server that is tuned says of them counts; a
parameter of an extension (`+"`pg_stat_statements.max`"+`) is taken as it is. These weaken durability, and are refused unless
that is allowed:

| parameter | value | risk |
|---|---|---|
`, len(Parameters(postgres)), len(Parameters(redis)))
	for _, k := range Parameters(postgres) {
		if len(k.Unsafe) > 0 {
			b.WriteString(tableRow("`"+k.Name+"`", quoted(k.Unsafe), k.Risk))
		}
	}
	b.WriteString("\nThese say how much a crash of Redis loses by its design, the weakest value first. They are marked where they are weaker\n" +
		"than what was declared:\n\n| parameter | value | risk |\n|---|---|---|\n")
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
