package hosttest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// each runs a test for both snapshots of every machine.
func each(t *testing.T, test func(t *testing.T, machine fstest.MapFS)) {
	names := Names(t)
	if len(names) == 0 {
		t.Fatal("there are no machines")
	}
	for _, name := range names {
		first, later := Machine(t, name)
		t.Run(name+"/first", func(t *testing.T) { test(t, first) })
		t.Run(name+"/later", func(t *testing.T) { test(t, later) })
	}
}

func TestMachinesHaveWhatEveryMachineHas(t *testing.T) {
	each(t, func(t *testing.T, machine fstest.MapFS) {
		for _, name := range []string{
			"proc/stat", "proc/meminfo", "proc/vmstat", "proc/diskstats", "proc/cpuinfo", "proc/loadavg", "proc/uptime",
			"proc/mounts", "proc/version", "proc/self/stat", "proc/self/io", "proc/self/mountinfo",
			"proc/self/limits", "proc/net/dev", "run/process/burner/stat", "run/process/burner/schedstat",
			"sys/devices/system/cpu/online", "sys/devices/system/cpu/cpu0/topology/core_id",
			"sys/devices/system/clocksource/clocksource0/current_clocksource",
			"sys/kernel/mm/transparent_hugepage/enabled", "sys/block/vda/queue/scheduler", "sys/block/vda/stat",
		} {
			data, err := fs.ReadFile(machine, name)
			if err != nil || len(data) == 0 {
				t.Errorf("%s: %d bytes, %v", name, len(data), err)
			}
		}
	})
}

func TestLinksLeadSomewhere(t *testing.T) {
	each(t, func(t *testing.T, machine fstest.MapFS) {
		links := 0
		for name, file := range machine {
			if file.Mode.Type() != fs.ModeSymlink {
				continue
			}
			links++
			if _, err := fs.Stat(machine, name); err != nil {
				t.Errorf("%s -> %s: %v", name, file.Data, err)
			}
		}
		if links == 0 {
			t.Error("no links at all")
		}
	})
}

func TestCountersMoveBetweenTheSnapshots(t *testing.T) {
	for _, name := range Names(t) {
		t.Run(name, func(t *testing.T) {
			first, later := Machine(t, name)
			if a, b := slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(later)); !slices.Equal(a, b) {
				t.Error("the snapshots do not have the same files")
			}
			for _, name := range []string{"proc/stat", "proc/uptime", "proc/vmstat", "proc/diskstats", "run/process/burner/stat", "run/process/burner/schedstat"} {
				a, _ := fs.ReadFile(first, name)
				b, _ := fs.ReadFile(later, name)
				if string(a) == string(b) {
					t.Errorf("%s did not move", name)
				}
			}
		})
	}
}

func TestMachinesAreSmall(t *testing.T) {
	for _, name := range Names(t) {
		if text, _ := machines.ReadFile("machines/" + name + ".txtar"); len(text) > 400<<10 {
			t.Errorf("%s: %d bytes, more than 400 KiB", name, len(text))
		}
	}
}

// One machine is enough, the one with the most kinds of links: thousands of small files take
// their time on a busy disk.
func TestDirIsTheMachineOnDisk(t *testing.T) {
	a, b := Machine(t, "numa-md")
	first, later := Dir(t, "numa-md")
	same(t, first, a)
	same(t, later, b)
}

// same compares a directory with a machine, including the targets of its links.
func same(t *testing.T, dir string, machine fstest.MapFS) {
	t.Helper()
	for name, file := range machine {
		onDisk := filepath.Join(dir, name)
		switch file.Mode.Type() {
		case fs.ModeSymlink:
			leads, err := filepath.EvalSymlinks(onDisk)
			if err != nil || !strings.HasPrefix(leads, dir+"/") {
				t.Errorf("%s leads to %q, %v", name, leads, err)
			}
		case fs.ModeDir:
			if entries, err := os.ReadDir(onDisk); err != nil || len(entries) != 0 {
				t.Errorf("%s: %d entries, %v", name, len(entries), err)
			}
		default:
			if data, err := os.ReadFile(onDisk); err != nil || string(data) != string(file.Data) {
				t.Errorf("%s: %d bytes, want %d; %v", name, len(data), len(file.Data), err)
			}
		}
	}
}
