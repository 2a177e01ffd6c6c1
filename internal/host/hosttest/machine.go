// Package hosttest provides machines for tests: copies of /proc and /sys from machines unlike
// those that tests run on (more CPUs, NUMA, cgroup v1, md arrays, old kernels).
// scripts/capture creates them, or reads them from an existing machine. It also has helpers
// for tests (helper.go).
//
// A machine is a text archive (txtar) in the directory machines. The archive's comment states
// how the archive was made. An entry is a file as the kernel printed it, named by its path,
// with these conventions:
//
//   - An entry whose text begins with "-> " is a symbolic link to the rest of the
//     line, relative to the directory of the entry.
//   - An entry whose name ends in "/" is an empty directory.
//   - An entry below "later/" is the second snapshot of a file that changed.
//     All other files are the same in both.
//
// The processes whose files are complete have links in run/process, named after what they do:
// run/process/burner points to proc/PID. Files that no process may read are missing, as are
// those that were not captured (scripts/capture/files lists what was).
//
// The directory documented has machines written from documentation.
package hosttest

import (
	"embed"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

//go:embed machines/*.txtar
var machines embed.FS

//go:embed documented/*.txtar
var documented embed.FS

// Names returns the names of the machines, sorted.
func Names(t testing.TB) []string {
	t.Helper()
	entries, err := machines.ReadDir("machines")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".txtar"))
	}
	slices.Sort(names)
	return names
}

// Machine returns two snapshots of a machine under load, a second or two apart. Links work as
// on a disk. Each call returns new maps: a test may remove a file.
func Machine(t testing.TB, name string) (first, later fstest.MapFS) {
	t.Helper()
	text, err := machines.ReadFile(path.Join("machines", name+".txtar"))
	if err != nil {
		t.Fatalf("cannot find the machine %q: %v; there are %v", name, err, Names(t))
	}
	first, later, err = parse(text)
	if err != nil {
		t.Fatalf("cannot load the machine %q: %v", name, err)
	}
	return first, later
}

// Documented returns the files of a machine that was written from documentation, because no such
// machine could be captured: "ec2", "longhorn", "ceph", "bare-nvme". It has only the files that
// its archive's comment names: the product, the disks, the mounts.
func Documented(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	text, err := documented.ReadFile(path.Join("documented", name+".txtar"))
	if err != nil {
		t.Fatalf("cannot find the machine %q: %v", name, err)
	}
	root, _, err := parse(text)
	if err != nil {
		t.Fatalf("cannot load the machine %q: %v", name, err)
	}
	return root
}
