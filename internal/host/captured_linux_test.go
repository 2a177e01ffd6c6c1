package host

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/sysfs"
)

// Two sockets, two nodes, and an array of disks, some of which are attached to a node.
func TestInventoryOfCapturedServer(t *testing.T) {
	root, _ := hosttest.Machine(t, "numa-md")
	i, err := readInventory(root)
	if err != nil {
		t.Fatal(err)
	}
	cpu := CPUInventory{
		Online: 8, Cores: 4, Sockets: 2, ThreadsPerCore: 2, SMT: "on", IdleDriver: "none",
		Caches: []Cache{{1, "Data", 32 << 10, 1}, {1, "Instruction", 32 << 10, 1}, {2, "Unified", 4 << 20, 2}, {3, "Unified", 16 << 20, 4}},
	}
	if !reflect.DeepEqual(i.CPU, cpu) {
		t.Errorf("CPUs are\n%+v, want\n%+v", i.CPU, cpu)
	}
	if len(i.Nodes) != 2 || i.Nodes[1].CPUs != "4-7" || !slices.Equal(i.Nodes[1].Distances, []int{21, 10}) ||
		i.Nodes[0].HugePages != 8 || i.Nodes[0].Memory+i.Nodes[1].Memory != i.Memory.Total {
		t.Errorf("nodes are %+v, memory %+v", i.Nodes, i.Memory)
	}
	if i.Product != "QEMU Standard PC (Q35 + ICH9, 2009)" || i.Virtualisation != "qemu" || i.Container != "" {
		t.Errorf("it is %q, %q, %q", i.Product, i.Virtualisation, i.Container)
	}
	if valueOf(i.Sysctl, "kernel.numa_balancing") != "1" || valueOf(i.Mitigations, "meltdown") != "Mitigation: PTI" || i.Memory.THP != "madvise" {
		t.Errorf("settings are %v, %v, huge pages %s", i.Sysctl, i.Mitigations, i.Memory.THP)
	}
	if len(i.Swap) != 1 || i.Swap[0].Path != "/dev/vdb" || i.Swap[0].Used == 0 || i.Memory.SwapUsed == 0 {
		t.Errorf("swap is %+v, memory %+v", i.Swap, i.Memory)
	}
	var disks []string
	for _, d := range i.Disks {
		disks = append(disks, fmt.Sprint(d.Name, " ", d.Transport, " ", d.Size>>20, " ", d.Scheduler, " ", d.NUMANode))
	}
	want := []string{"nvme0n1 nvme 400 none -1", "nvme1n1 nvme 400 none -1", "nvme2n1 nvme 400 none 1", "nvme3n1 nvme 400 none 1",
		"sda sata 100 mq-deadline -1", "vda virtio 300 mq-deadline -1", "vdb virtio 300 none -1", "vdc virtio 300 none -1"}
	if !slices.Equal(disks, want) {
		t.Errorf("disks are %q, want %q", disks, want)
	}
}

// The captured machines have limits in cgroup version 2, in version 1, and none.
func TestCgroupLimitsOfCapturedMachines(t *testing.T) {
	for name, want := range map[string]CgroupLimits{
		"numa-md": {Version: 2, CPUs: 2, Memory: 128 << 20, IOLimits: "254:0 rbps=max wbps=20971520 riops=max wiops=max"},
		"cgroup1": {Version: 1, CPUs: 1.2, Memory: 48 << 20, Processes: 100, IOLimits: "write_bps 254:0 52428800"},
		"small":   {},
	} {
		root, _ := hosttest.Machine(t, name)
		i, err := readInventory(root)
		if err != nil || i.Cgroup != want {
			t.Errorf("%s: %+v, %v; want %+v", name, i.Cgroup, err, want)
		}
	}
}

func TestPlacesOfCapturedServer(t *testing.T) {
	root, _ := hosttest.Machine(t, "numa-md")
	lookup := mountsOf(sysfs.Word(root, "proc/self/mountinfo"))
	array := []string{"md0 (md raid10) on nvme0n1, nvme1n1, nvme2n1, nvme3n1",
		"nvme0n1 (disk)", "nvme1n1 (disk)", "nvme2n1 (disk)", "nvme3n1 (disk)"}
	for path, want := range map[string][]string{
		"/data":       array,
		"/srv/pgdata": array, // bind mount
		"/wal":        {"vda1 (partition) on vda", "vda (disk)"},
		"/mnt":        {"dm-0 (dm) on vdc", "vdc (disk)"},
		"/layers":     {"loop0 (loop) on dm-0", "dm-0 (dm) on vdc", "vdc (disk)"},
		"/tmp":        nil,
	} {
		f, err := lookup(path)
		if err != nil {
			t.Fatal(err)
		}
		place := placeOn(root, lookup, f)
		if got := outline(place); !slices.Equal(got, want) || len(place.Gaps) != 0 {
			t.Errorf("%s: %q, want %q (gaps %v)", path, got, want, place.Gaps)
		}
		if path == "/data" && (place.Layers[0].Detail != "4 disks, chunk 64KiB" || place.Layers[0].ReadAhead != 4<<20) {
			t.Errorf("the array is %+v", place.Layers[0])
		}
	}
}

// On every captured machine the only gap is what captures leave out, and each mount of a
// block device is traced down to disks of the inventory.
func TestInventoryOfEachCapturedMachine(t *testing.T) {
	for _, name := range hosttest.Names(t) {
		root, _ := hosttest.Machine(t, name)
		i, err := readInventory(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range i.Gaps {
			if gap.What != "container" { // the link to the PID namespace
				t.Errorf("%s: gap %q", name, gap)
			}
		}
		if i.CPU.Cores < 1 || len(i.Nodes) < 1 || len(i.Disks) < 1 || i.Clock == "" || len(i.Limits) != len(limitNames) {
			t.Errorf("%s: %+v", name, i)
		}
		mountinfo := sysfs.Word(root, "proc/self/mountinfo")
		for line := range strings.Lines(mountinfo) {
			m, _ := parseMount(line)
			if !strings.HasPrefix(m.Source, "/dev/") {
				continue
			}
			place := placeOn(root, mountsOf(mountinfo), m)
			if len(place.Disks) == 0 || len(place.Gaps) > 0 {
				t.Errorf("%s: %s is %+v", name, m.MountPoint, place)
			}
			for _, d := range place.Disks {
				if !slices.ContainsFunc(i.Disks, func(known Disk) bool { return known.Name == d }) {
					t.Errorf("%s: %s of %s is not among the disks", name, d, m.MountPoint)
				}
			}
		}
	}
}
