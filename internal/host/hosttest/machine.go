// Package hosttest is machines for tests: the real /proc and /sys of machines
// that tests do not run on (more CPUs, NUMA, cgroup v1, md arrays, old kernels).
// scripts/capture makes them, or takes them from a machine at hand. It also has what
// tests need of the machine they run on (helper.go).
//
// A machine is a text archive (txtar) in machines. Its comment says how it was
// made. An entry is a file as the kernel printed it, by its path, with these
// conventions:
//
//   - An entry whose text begins with "-> " is a symbolic link to the rest of the
//     line, relative to the directory that it is in.
//   - An entry whose name ends in "/" is an empty directory.
//   - An entry below "later/" is the second snapshot of a file that changed.
//     All other files are the same in both.
//
// The processes whose files are complete are links in run/process, by what they
// do: run/process/burner points to proc/PID. Files that no process may read are
// missing, as are those that were not captured (scripts/capture/files
// says what was).
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

// Names are the machines that there are, in order.
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

// Machine is a machine at two moments, a second or two apart, under load. Links
// work as on a disk. Each call has maps of its own: a test may take a file away.
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
