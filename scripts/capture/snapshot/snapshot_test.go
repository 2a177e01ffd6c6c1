package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestPatterns(t *testing.T) {
	got := patterns("# comment\n\n/proc stat vm*\n  /sys/block/* size\n/only-a-directory\n")
	want := []string{"/proc/stat", "/proc/vm*", "/sys/block/*/size"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// disk is a small /sys: a link to a disk, a link from it, a link upwards.
func disk(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"devices/pci0/vda/size":   "100\n",
		"devices/pci0/numa_node":  "1\n",
		"devices/virtual/md0/dev": "9:0\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"block", "devices/pci0/vda/holders", "devices/virtual/md0/slaves"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"block/vda":                      "../devices/pci0/vda",
		"block/md0":                      filepath.Join(root, "devices/virtual/md0"), // as run/ has them, absolute
		"devices/pci0/vda/device":        "../../pci0",
		"devices/virtual/md0/slaves/vda": "../../../pci0/vda",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindKeepsFilesLinksAndEmptyDirectories(t *testing.T) {
	root := disk(t)
	var all []string
	for _, pattern := range []string{"size", "dev", "holders", "slaves", "slaves/*", "device/numa_node", "device/../numa_node", "absent"} {
		all = append(all, root+"/block/*/"+pattern)
	}
	tree, err := find(all)
	if err != nil {
		t.Fatal(err)
	}
	strip := func(names []string) (short []string) {
		for _, name := range names {
			short = append(short, strings.TrimPrefix(name, root+"/"))
		}
		return short
	}
	if got, want := strip(tree.files), []string{"devices/pci0/numa_node", "devices/pci0/vda/size", "devices/virtual/md0/dev"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if got, want := strip(tree.dirs), []string{"devices/pci0/vda/holders"}; !slices.Equal(got, want) {
		t.Errorf("empty directories %q, want %q", got, want)
	}
	for link, want := range map[string]string{
		"block/vda":                      "../devices/pci0/vda",
		"block/md0":                      "../devices/virtual/md0",
		"devices/pci0/vda/device":        "../../pci0",
		"devices/virtual/md0/slaves/vda": "../../../pci0/vda",
	} {
		if got := tree.links[root+"/"+link]; got != want {
			t.Errorf("link %s -> %q, want %q", link, got, want)
		}
	}
	if len(tree.links) != 4 {
		t.Errorf("links %q, want 4", tree.links)
	}
}

func TestFindStopsAtALoopOfLinks(t *testing.T) {
	dir := t.TempDir()
	for _, pair := range [][2]string{{"a", "b"}, {"b", "a"}} {
		if err := os.Symlink(pair[1], filepath.Join(dir, pair[0])); err != nil {
			t.Fatal(err)
		}
	}
	found := make(chan tree, 1)
	go func() {
		tree, _ := find([]string{dir + "/a"})
		found <- tree
	}()
	select {
	case tree := <-found:
		if len(tree.files)+len(tree.dirs) != 0 {
			t.Errorf("found %v", tree)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("still following links")
	}
}

func TestArchive(t *testing.T) {
	kept := tree{
		files: []string{"/proc/gone", "/proc/stat", "/proc/version"},
		dirs:  []string{"/sys/holders"},
		links: map[string]string{"/proc/self": "12"},
	}
	first := contents{"/proc/gone": []byte("x\n"), "/proc/stat": []byte("1\n"), "/proc/version": []byte("Linux\n")}
	later := contents{"/proc/stat": []byte("2\n"), "/proc/version": []byte("Linux\n")}
	a, err := archive(kept, first, later)
	if err != nil {
		t.Fatal(err)
	}
	want := "-- proc/self --\n-> 12\n-- sys/holders/ --\n-- proc/stat --\n1\n-- later/proc/stat --\n2\n-- proc/version --\nLinux\n"
	if got := string(txtar.Format(a)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestArchiveRefusesWhatItWouldChange(t *testing.T) {
	for _, text := range []string{"no line end", "-- proc/stat --\n", "-- --\n", "a\n-- b --\nc\n", "-> proc/12\n"} {
		same := contents{"/x": []byte(text)}
		if _, err := archive(tree{files: []string{"/x"}}, same, same); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// On the machine at hand: one file that never moves, and one that is another at
// each reading (random(4)).
func TestTwiceOfThisMachine(t *testing.T) {
	const still, moving = "/proc/version", "/proc/sys/kernel/random/uuid"
	if _, err := os.Stat(moving); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs Linux")
	}
	first, later := twice([]string{still, moving, "/proc/absent"}, time.Millisecond)
	if len(first) != 2 || len(later) != 2 {
		t.Fatalf("%d and %d files, want 2", len(first), len(later))
	}
	if version, err := os.ReadFile(still); err != nil || !bytes.Equal(first[still], version) || !bytes.Equal(later[still], version) {
		t.Errorf("%s: %q and %q, want %q; %v", still, first[still], later[still], version, err)
	}
	if len(later[moving]) == 0 || bytes.Equal(first[moving], later[moving]) {
		t.Errorf("%s: %q and %q, want two", moving, first[moving], later[moving])
	}
}

func TestReadLeavesOutWhatCannotBeRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := read([]string{file, filepath.Dir(file), "/absent"})
	if !reflect.DeepEqual(got, contents{file: []byte("x")}) {
		t.Errorf("%q", got)
	}
}
