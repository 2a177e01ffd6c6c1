package knob

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
)

// emptyFile creates a sparse file.
func emptyFile(t *testing.T, bytes int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "disk")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(bytes); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCoupledDisk sets each knob of a disk to another value, and checks that exactly the
// knobs that the catalog lists as coupled change with it.
func TestCoupledDisk(t *testing.T) {
	t.Parallel()
	need(t, os.Geteuid() == 0, "root")
	device := hosttest.LoopDevice(t, emptyFile(t, 16<<20))
	var knobs []Knob
	for _, k := range All() {
		if k.Layer == Block {
			knobs = append(knobs, k)
		}
	}
	now := func() map[string]string {
		values := map[string]string{}
		for _, k := range knobs {
			if content, err := os.ReadFile(k.Path(device)); err == nil {
				values[k.Name] = k.Reading(string(content))
			}
		}
		return values
	}
	set := func(name, value string) {
		k, _ := Find(name)
		canonical, err := k.Canonical(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(k.Path(device), []byte(canonical), 0o644); err != nil {
			t.Errorf("%s = %s: %v", name, canonical, err)
		} else if got := now()[name]; !k.Same(got, value) {
			t.Errorf("%s = %s reads back as %s", name, canonical, got)
		}
	}
	coupled := map[string]bool{}
	restless := map[string]string{"nr_requests": "40", "wbt_lat_usec": "7ms", "read_ahead_kb": "20"} // what others may change
	for _, step := range []struct{ name, value string }{
		{"read_ahead_kb", "64KiB"}, {"nr_requests", "32"}, {"wbt_lat_usec", "5ms"}, {"rq_affinity", "2"}, {"nomerges", "1"}, {"iostats", "0"}, {"add_random", "1"},
		{"write_cache", "write back"}, {"max_sectors_kb", "512"}, {"scheduler", "mq-deadline"}, {"nr_requests", "48"}, {"scheduler", "none"}, {"read_ahead_kb", "4"},
	} {
		for name, value := range restless {
			set(name, value)
		}
		before := now()
		if _, there := before[step.name]; !there {
			t.Errorf("a loop device has no %s", step.name)
			continue
		}
		set(step.name, step.value)
		k, _ := Find(step.name)
		for name, value := range now() {
			if name == step.name || value == before[name] {
				continue
			}
			if !slices.Contains(k.Coupled, name) {
				t.Errorf("%s = %s made %s %s of %s", step.name, step.value, name, value, before[name])
			}
			coupled[step.name+" "+name] = true
		}
	}
	for _, pair := range []string{"scheduler nr_requests"} {
		if !coupled[pair] {
			t.Errorf("%s: the one does not change the other any more", pair)
		}
	}
}

// TestRemount tries each mount option of the table on a filesystem made for the test. On a
// kernel other than the table's, it only requires that options that should change do.
func TestRemount(t *testing.T) {
	t.Parallel()
	need(t, os.Geteuid() == 0, "root")
	for filesystem, mkfs := range map[string][]string{"ext4": {"-q"}, "xfs": {"-q"}, "btrfs": {"-q"}} {
		t.Run(filesystem, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath("mkfs." + filesystem)
			need(t, err == nil, "mkfs."+filesystem)
			image := emptyFile(t, 320<<20)
			// mkfs.btrfs asks the files of all loop devices; one may just have lost its own.
			hosttest.WaitFor(t, "mkfs."+filesystem, func() bool {
				said, err := output(t, program, append(mkfs, image)...)
				if err != nil && !strings.Contains(said+err.Error(), "endpoint is not connected") {
					t.Fatal(said, err)
				}
				return err == nil
			})
			device := "/dev/" + hosttest.LoopDevice(t, image)
			for _, o := range MountOptions() {
				if len(o.Filesystems) == 0 || slices.Contains(o.Filesystems, filesystem) {
					tryRemount(t, filesystem, device, o)
				}
			}
		})
	}
}

// someValue returns a valid value of an option that is not its default.
var someValue = map[string]string{
	"commit=": "31", "stripe=": "16", "inode_readahead_blks=": "64", "max_batch_time=": "7", "min_batch_time=": "9", "init_itable=": "5",
	"allocsize=": "64m", "logbsize=": "256k", "logbufs=": "4", "sunit=": "8", "swidth=": "16", "compress=": "zstd", "max_inline=": "1024",
}

// instead lists options to mount with first, so that the option has an effect.
var instead = map[string]string{"relatime": "strictatime", "data=ordered": "data=writeback", "inode64": "inode32", "nossd": "ssd", "discard=async": "nodiscard"}

// tryRemount mounts a filesystem without an option, remounts it with it, and compares.
func tryRemount(t *testing.T, filesystem, device string, o Option) {
	t.Helper()
	option := o.Name + someValue[o.Name]
	before := "rw"
	if o.Hidden || instead[o.Name] != "" {
		before = instead[o.Name]
		for _, other := range o.Clears {
			if before == "" {
				before = other
			}
		}
	}
	dir := t.TempDir()
	if said, err := output(t, "mount", "-t", filesystem, "-o", before, device, dir); err != nil {
		t.Errorf("%s: cannot be mounted with %s: %s", filesystem, before, said)
		return
	}
	defer func() {
		if said, err := output(t, "umount", dir); err != nil {
			t.Errorf("%s: %s", filesystem, said)
		}
	}()
	was := mountedWith(t, dir)
	did := Changes
	if _, err := output(t, "mount", "-o", "remount,"+option, dir); err != nil {
		did = Refused
	} else if mountedWith(t, dir) == was {
		did = Ignored
	}
	switch {
	case did == o.Remount:
	case o.Remount == Changes || ofTheTable(t):
		t.Errorf("%s: %s is %s in a remount (%s), not %s", filesystem, option, did, was, o.Remount)
	default: // a plan asks for a fresh mount where this kernel would need none
		t.Logf("%s: %s is %s in a remount of this kernel, not %s", filesystem, option, did, o.Remount)
	}
}

// ofTheTable reports whether this is the kernel on which the table was made.
func ofTheTable(t *testing.T) bool {
	t.Helper()
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(string(release), "6.18.")
}

// mountedWith returns the options of a mount, as /proc/self/mountinfo shows them.
func mountedWith(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if f := strings.Fields(line); len(f) > 8 && f[4] == dir {
			return f[5] + " " + f[len(f)-1]
		}
	}
	t.Fatalf("%s is not mounted", dir)
	return ""
}

func TestOptionOf(t *testing.T) {
	for _, test := range []struct {
		filesystem, option string
		want               Remounted
		needs              Needs
	}{
		{"ext4", "noatime", Changes, Remount}, {"xfs", "noatime", Changes, Remount}, {"ext4", "commit=30", Changes, Remount}, {"ext4", "discard", Changes, Remount},
		{"xfs", "discard", Ignored, FreshMount}, {"xfs", "allocsize=64m", Ignored, FreshMount}, {"ext4", "data=journal", Refused, FreshMount}, {"", "lazytime", Changes, Remount},
	} {
		o, known := OptionOf(test.filesystem, test.option)
		if !known || o.Remount != test.want || o.Needs() != test.needs {
			t.Errorf("%s of %s: %+v", test.option, test.filesystem, o)
		}
	}
	for _, option := range []string{"commit", "commit=30", "noatime", "data=journal"} {
		if !MountOption("ext4", option) {
			t.Errorf("ext4 has %s", option)
		}
	}
	for _, option := range []string{"allocsize=64m", "allocsize", "noatimes", "", "commit=30=x,y", "data=x"} {
		if got := MountOption("ext4", option); got != (option == "commit=30=x,y") { // what a value may be, the kernel says
			t.Errorf("ext4 and %q: %v", option, got)
		}
	}
	for _, o := range MountOptions() {
		if o.Doc == "" || o.Name == "" || !slices.Contains([]Remounted{Changes, Ignored, Refused}, o.Remount) {
			t.Errorf("%+v", o)
		}
	}
}
