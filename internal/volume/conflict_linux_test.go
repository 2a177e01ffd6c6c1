package volume

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
)

// testPartitions creates n partitions on a loop device.
func testPartitions(t *testing.T, n int) []string {
	t.Helper()
	disk := testLoop(t, 64*unit.MiB, "--partscan")
	var partitions []string
	for i := 1; i <= n; i++ {
		number := strconv.Itoa(i)
		tool(t, "addpart", disk, number, strconv.Itoa(i*16384), "16384")
		t.Cleanup(func() { tool(t, "delpart", disk, number) })
		partitions = append(partitions, disk+"p"+number)
	}
	return partitions
}

// TestPartitionsShareAQueue checks that two volumes cannot request different settings for the
// queue that their partitions share.
func TestPartitionsShareAQueue(t *testing.T) {
	asRoot(t)
	on, other := testPartitions(t, 2), testLoop(t, unit.MiB)
	volume := func(device string, ahead unit.Size, scheduler string) experiment.Volume {
		return experiment.Volume{Disk: experiment.Disk{Device: device}, ReadAhead: ahead, Scheduler: scheduler}
	}
	array := experiment.Volume{RAID: "0", ReadAhead: 4 * unit.MiB, Members: []experiment.Disk{{Device: on[1]}, {Device: other}}}
	for name, tc := range map[string]struct {
		a, b experiment.Volume
		text string
	}{
		"nothing said":       {volume(on[0], 0, ""), volume(on[1], 0, ""), ""},
		"the same":           {volume(on[0], unit.MiB, "none"), volume(on[1], unit.MiB, "none"), ""},
		"another read-ahead": {volume(on[0], unit.MiB, ""), volume(on[1], 2*unit.MiB, ""), "read_ahead 1MiB and scheduler default on " + on[0]},
		"one says nothing":   {volume(on[0], 0, "none"), volume(on[1], 0, ""), "scheduler default on " + on[1]},
		"an array's own":     {volume(on[0], 0, ""), array, ""},
		"another disk":       {volume(on[0], unit.MiB, "none"), volume(other, 0, ""), ""},
	} {
		s := experiment.Storage{Data: tc.a, WAL: tc.b}
		err := Conflict(Claims([]experiment.Environment{{Name: "one", Storage: s}}))
		if tc.text == "" && err != nil || tc.text != "" && (err == nil || !strings.Contains(err.Error(), tc.text) || hint.Of(err) == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConflicts(t *testing.T) {
	asRoot(t)
	device := testLoop(t, 64*unit.MiB)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	dir := hosttest.OpenDir(t)
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(dir, linked); err != nil {
		t.Fatal(err)
	}
	on := func(name string, d experiment.Disk) experiment.Environment {
		return experiment.Environment{Name: name, Storage: experiment.Storage{Data: experiment.Volume{Disk: d}}}
	}
	for name, tc := range map[string]struct {
		a, b experiment.Disk
		text string
	}{
		"one device":       {experiment.Disk{Device: device}, experiment.Disk{Device: link}, "the data of a and the data of b use the same disk"},
		"one file":         {experiment.Disk{File: "/x/y"}, experiment.Disk{File: "/x/../x/y"}, "use the same disk"},
		"one file, linked": {experiment.Disk{File: linked + "/new"}, experiment.Disk{File: dir + "/new"}, "use the same disk"},
		"two files":        {experiment.Disk{File: "/x/y"}, experiment.Disk{File: "/x/z"}, ""},
		"emulated":         {emulatedDisk("/x"), emulatedDisk("/x"), ""},
		"a device, a file": {experiment.Disk{Device: device}, experiment.Disk{File: "/x/y"}, ""},
	} {
		err := Conflict(Claims([]experiment.Environment{on("a", tc.a), on("b", tc.b)}))
		if tc.text == "" && err != nil || tc.text != "" && (err == nil || !strings.Contains(err.Error(), tc.text) || hint.Of(err) == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
