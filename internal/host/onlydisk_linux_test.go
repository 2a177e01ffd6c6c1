package host

import (
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/sysfs"
)

// A partition and a device mapper device have the disk below them, an array has several.
func TestOnlyDiskOfCapturedServer(t *testing.T) {
	root, _ := hosttest.Machine(t, "numa-md")
	lookup := mountsOf(sysfs.Word(root, "proc/self/mountinfo"))
	for path, want := range map[string]string{"/wal": "vda", "/mnt": "vdc", "/layers": "vdc", "/data": "", "/tmp": ""} {
		f, err := lookup(path)
		if err != nil {
			t.Fatal(err)
		}
		disk, known := onlyDisk(root, placeOn(root, lookup, f))
		if disk.Name != want || known != (want != "") || known && (disk.Size != 300<<20 || disk.Transport != "virtio") {
			t.Errorf("%s: %+v, %v; want %q", path, disk, known, want)
		}
	}
	for device, want := range map[string]string{"vda1": "vda", "dm-0": "vdc", "nvme0n1": "nvme0n1", "md0": "", "none": ""} {
		disk, known := onlyDisk(root, placeOfDevice(root, lookup, device))
		if disk.Name != want || known != (want != "") {
			t.Errorf("device %s: %+v, %v; want %q", device, disk, known, want)
		}
	}
}

// The disk of this machine's filesystem, if it has one, is the one that PlaceOf names.
func TestOnlyDiskHere(t *testing.T) {
	dir := hosttest.OpenDir(t)
	place := placeOf(t, dir)
	disk, known := OnlyDisk(dir)
	if known != (len(place.Disks) == 1 && len(place.Gaps) == 0) || known && (disk.Name != place.Disks[0] || disk.Size <= 0) {
		t.Errorf("got %+v, %v; the place is %+v", disk, known, place)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if same, _ := OnlyDisk(file); same != disk {
		t.Errorf("a file in it is on %+v", same)
	}
	for _, path := range []string{filepath.Join(dir, "none"), "/proc", "/dev/null"} {
		if disk, known := OnlyDisk(path); known {
			t.Errorf("%s is on %+v", path, disk)
		}
	}
}
