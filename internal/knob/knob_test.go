package knob

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
)

// TestCatalogWhole checks that every entry has all fields that plans and tables need.
func TestCatalogWhole(t *testing.T) {
	all, err := catalog()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	layers := map[Layer]int{}
	for _, k := range all {
		if seen[k.Name] {
			t.Errorf("%s is there twice", k.Name)
		}
		seen[k.Name] = true
		layers[k.Layer]++
		for _, problem := range flaws(k) {
			t.Errorf("%s: %s", k.Name, problem)
		}
	}
	for _, layer := range Layers() {
		if layers[layer] == 0 && layer != Server {
			t.Errorf("no knob of layer %s", layer)
		}
	}
}

// flaws returns the defects of an entry.
func flaws(k Knob) []string {
	var problems []string
	hold := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	hold(k.Doc != "" && strings.TrimSuffix(k.Doc, ".") == k.Doc, "doc %q", k.Doc)
	hold(k.Source.Title != "" && strings.HasPrefix(k.Source.URL, "https://"), "source %+v", k.Source)
	hold(slices.Contains([]Scope{OfHost, OfNode, OfCPU, OfIRQ, OfDevice, OfMount, OfServer, OfDomain}, k.Scope), "scope %q", k.Scope)
	hold(slices.Contains([]Needs{Nothing, Restart, Reboot, FreshMount, OpenHeld, CannotBeSet, Remount, NewAllocated}, k.Needs), "needs %q", k.Needs)
	hold(slices.Contains([]Kind{Integer, Number, Boolean, Word, CPUList, Pins, Options, Text}, k.Kind), "kind %q", k.Kind)
	hold(k.File != "" == strings.Contains("kernel cpu block", string(k.Layer)) || k.Name == "smp_affinity_list", "file %q", k.File)
	braces := map[Scope]string{OfNode: "{node}", OfCPU: "{cpu}", OfIRQ: "{irq}", OfDevice: "{device}"}[k.Scope]
	hold(strings.Contains(k.File, braces) && strings.Contains(k.File, "{") == (braces != ""), "file %q of %s", k.File, k.Scope)
	number := k.Kind == Integer || k.Kind == Number
	hold(!number || k.Min != nil, "no minimum")
	hold(number || k.Min == nil && k.Max == nil && k.Unit == "" && k.Step == 0, "range or unit of a %s", k.Kind)
	hold(len(k.Words) > 1 == (k.Kind == Word || k.Kind == Boolean), "words %q", k.Words)
	hold(k.Pattern == "" == (k.Kind != Text), "pattern %q", k.Pattern)
	_, err := regexp.Compile(k.Pattern)
	hold(err == nil, "pattern: %v", err)
	_, counted := base[k.Unit]
	hold(counted || k.Unit == "" || k.Unit == "pages", "unit %q", k.Unit)
	for _, value := range slices.Concat(k.Unsafe, k.Persistence, without(k.Default), without(k.Example), k.Words) {
		canonical, err := k.Canonical(value)
		zero := value == "0" && k.Excludes != "" // the kernel shows it and refuses it
		hold(zero || err == nil && canonical == value, "%q is %q, %v", value, canonical, err)
	}
	for _, other := range slices.Concat(k.Coupled, without(k.Excludes)) {
		_, known := Find(other)
		hold(known && other != k.Name, "%s is not in the catalog", other)
	}
	if k.Excludes != "" {
		other, _ := Find(k.Excludes)
		hold(other.Excludes == k.Name && slices.Contains(k.Coupled, other.Name), "does not exclude %s both ways", k.Excludes)
	}
	return problems
}

// without returns a list of one value, or none if it is empty.
func without(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// TestCatalogHas checks for the knobs that profiles and experiments depend on.
func TestCatalogHas(t *testing.T) {
	want := strings.Fields(`vm.swappiness vm.dirty_ratio vm.dirty_bytes vm.dirty_background_ratio vm.dirty_background_bytes
		vm.dirty_expire_centisecs vm.dirty_writeback_centisecs vm.overcommit_memory vm.overcommit_ratio vm.min_free_kbytes
		vm.nr_hugepages nr_hugepages vm.nr_overcommit_hugepages transparent_hugepage transparent_hugepage_defrag vm.zone_reclaim_mode
		kernel.numa_balancing kernel.sched_autogroup_enabled net.core.somaxconn net.core.rmem_max net.core.wmem_max
		net.ipv4.tcp_tw_reuse net.ipv4.tcp_fin_timeout vm.vfs_cache_pressure kernel.sched_migration_cost_ns
		scaling_governor energy_performance_preference boost no_turbo pm_qos_resume_latency_us cpu_dma_latency smt
		cpus mems numa_policy smp_affinity_list scheduler read_ahead_kb nr_requests write_cache rq_affinity wbt_lat_usec
		nomerges max_sectors_kb options vcpupin emulatorpin numatune hugepages locked cpu_mode memballoon iothreads iothreadpin`)
	for _, name := range want {
		if _, known := Find(name); !known {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestOrder checks that a knob that changes others comes before them, so that a plan in the
// catalog's order does not undo itself.
func TestOrder(t *testing.T) {
	list := names(All())
	if slices.Index(list, "scheduler") > slices.Index(list, "nr_requests") || slices.Index(list, "vm.swappiness") > slices.Index(list, "scheduler") {
		t.Errorf("order: %q", list)
	}
	if list[0] != "vcpupin" {
		t.Errorf("the first is %s, not one of the hypervisor", list[0])
	}
}

// TestThisMachine checks that the values in this machine's files are valid according to
// the catalog.
func TestThisMachine(t *testing.T) {
	need(t, runtime.GOOS == "linux", "Linux")
	read := 0
	for _, k := range All() {
		if k.File == "" || k.Needs == OpenHeld {
			continue
		}
		paths, err := filepath.Glob(k.Path("*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil || len(content) == 0 {
				continue // of a disk that has no such thing, or for root alone
			}
			read++
			value := k.Reading(string(content))
			canonical, err := k.Canonical(value)
			if value == "0" && k.Excludes != "" || slices.Contains(k.Absent, value) {
				continue
			}
			if err != nil || canonical != value || !k.Same(string(content), value) && !k.Bracketed {
				t.Errorf("%s has %q, read as %q, %q: %v", path, content, value, canonical, err)
			}
			if k.Bracketed && !slices.Contains(k.Words, value) {
				t.Errorf("%s has %q, which is none of %q", path, content, k.Words)
			}
		}
	}
	if read < 40 {
		t.Errorf("only %d files were read", read)
	}
}

func TestReading(t *testing.T) {
	for _, test := range []struct{ knob, content, want string }{
		{"vm.swappiness", "60\n", "60"},
		{"transparent_hugepage", "always [madvise] never\n", "madvise"},
		{"scheduler", "none [mq-deadline] kyber bfq \n", "mq-deadline"},
		{"scheduler", "none\n", "none"},
		{"write_cache", "write back\n", "write back"},
		{"net.ipv4.tcp_rmem", "4096\t131072\t33554432\n", "4096 131072 33554432"},
		{"cpu_dma_latency", "\x00\x94\x35\x77", "2000000000"},
		{"smp_affinity_list", "0-1\n", "0-1"},
	} {
		k, _ := Find(test.knob)
		if got := k.Reading(test.content); got != test.want {
			t.Errorf("%s: %q is read as %q, want %q", test.knob, test.content, got, test.want)
		}
	}
	if got := Choice("none [mq-deadline] kyber bfq \n"); !slices.Equal(got, []string{"none", "mq-deadline", "kyber", "bfq"}) {
		t.Errorf("choices %q", got)
	}
}

func TestPath(t *testing.T) {
	for _, test := range []struct{ knob, of, want string }{
		{"read_ahead_kb", "vda", "/sys/block/vda/queue/read_ahead_kb"},
		{"scaling_governor", "8", "/sys/devices/system/cpu/cpu8/cpufreq/scaling_governor"},
		{"nr_hugepages", "node1", "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"},
		{"nr_hugepages", "1", "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"},
		{"smp_affinity_list", "24", "/proc/irq/24/smp_affinity_list"},
		{"vm.swappiness", "", "/proc/sys/vm/swappiness"},
	} {
		k, _ := Find(test.knob)
		if got := k.Path(test.of); got != test.want {
			t.Errorf("%s@%s: %s, want %s", test.knob, test.of, got, test.want)
		}
	}
	k, _ := Find("scaling_governor")
	if got := k.ChoicesPath("8"); got != "/sys/devices/system/cpu/cpu8/cpufreq/scaling_available_governors" {
		t.Errorf("choices: %s", got)
	}
}

func TestResolve(t *testing.T) {
	for _, test := range []struct {
		engine, key string
		layer       Layer
	}{
		{"", "vm.swappiness", Kernel}, {"redis", "vm.swappiness", Kernel}, {"", "nr_hugepages@node0", Kernel}, {"", "read_ahead_kb@data", Block},
		{"", "scaling_governor", CPU}, {"", "scaling_governor@8-13", CPU}, {"", "options@/mnt/data", Mount}, {"", "vcpupin", Hypervisor},
		{"", "vcpupin@vm1", Hypervisor}, {"", "smp_affinity_list@nvme0n1", Placement}, {"postgres", "cpus", Placement},
		{"postgres", "shared_buffers", Server}, {"postgres", "SHARED_BUFFERS", Server}, {"postgres", "timezone", Server}, {"", "bgwriter_delay", Server},
		{"redis", "maxmemory", Server}, {"", "appendfsync", Server}, {"postgres", "pg_stat_statements.max", Server},
	} {
		k, err := Resolve(test.engine, ParseKey(test.key))
		if err != nil || k.Layer != test.layer {
			t.Errorf("%s of %q: layer %s, %v", test.key, test.engine, k.Layer, err)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, test := range []struct{ engine, key, want, hint string }{
		{"", "vm.swapiness", `cannot tune "vm.swapiness": unknown knob`, "did you mean vm.swappiness?"},
		{"", "dirty_ratio", `cannot tune "dirty_ratio": unknown knob`, "did you mean vm.dirty_ratio?"},
		{"postgres", "kernal.numa_balancing", `cannot tune "kernal.numa_balancing": unknown knob`, "did you mean kernel.numa_balancing?"},
		{"postgres", "vm.nothing_like_it", `cannot tune "vm.nothing_like_it": unknown knob`, "run plinth tune knobs for a list"},
		{"", "share_buffers", `cannot tune "share_buffers": unknown knob`, "did you mean shared_buffers?"},
		{"postgres", "maxmemory-policy", `cannot tune maxmemory-policy: it is a parameter of Redis`, "leave it out, or tune a server that has it"},
		{"redis", "my.own", `cannot tune "my.own": unknown knob`, "run plinth tune knobs for a list"},
		{"redis", "shared_buffers", `cannot tune shared_buffers: it is a parameter of PostgreSQL`, "leave it out, or tune a server that has it"},
		{"", "", `cannot tune "": unknown knob`, "run plinth tune knobs for a list"},
		{"", "vm.swappiness@data", `cannot tune vm.swappiness@data: it belongs to the machine and takes no @ suffix`, "write vm.swappiness"},
		{"", "vm.nr_hugepages@node0", `cannot tune vm.nr_hugepages@node0: it belongs to the machine and takes no @ suffix`,
			"write vm.nr_hugepages, or nr_hugepages@node0 for one NUMA node"},
		{"", "shared_buffers@data", `cannot tune shared_buffers@data: it belongs to the server and takes no @ suffix`, "write shared_buffers"},
		{"", "read_ahead_kb", `cannot tune read_ahead_kb: it belongs to a disk, but none is given`,
			"write read_ahead_kb@data, or the name of a disk after the @"},
		{"", "read_ahead_kb@../x", `cannot tune read_ahead_kb@../x: "../x" is not a disk`, "write read_ahead_kb@data, or the name of a disk after the @"},
		{"", "nr_hugepages@eins", `cannot tune nr_hugepages@eins: "eins" is not a NUMA node`, "write nr_hugepages@node0"},
		{"", "scaling_governor@x", `cannot tune scaling_governor@x: "x" is not CPUs`, "write scaling_governor for all of them, or scaling_governor@8-13"},
	} {
		_, err := Resolve(test.engine, ParseKey(test.key))
		if err == nil || err.Error() != test.want || hint.Of(err) != test.hint {
			t.Errorf("%s of %q: %v (%s), want %s (%s)", test.key, test.engine, err, hint.Of(err), test.want, test.hint)
		}
	}
}
