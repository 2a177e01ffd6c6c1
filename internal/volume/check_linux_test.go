package volume

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

func TestCheckRefuses(t *testing.T) {
	asRoot(t)
	dir := hosttest.OpenDir(t)
	if err := os.MkdirAll(runDir+"/ours", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runDir) })
	file := experiment.Disk{File: filepath.Join(dir, "x"), Size: 64 * unit.MiB}
	for name, tc := range map[string]struct {
		v          experiment.Volume
		text, hint string
	}{
		"no directory":        {experiment.Volume{Directory: dir + "/none"}, "no such directory", "create the directory"},
		"in a volume of ours": {experiment.Volume{Directory: runDir + "/ours"}, "in another experiment's volume", "choose a permanent directory"},
		"too small":           {experiment.Volume{Disk: file, Filesystem: "xfs"}, "64MiB is too small for xfs: it needs at least 320MiB", "larger"},
		"unknown scheduler":   {experiment.Volume{Disk: file, Scheduler: "cfq"}, "no I/O scheduler cfq", "none, "},
		"unsafe":              {experiment.Volume{Disk: file, Mount: []string{"nobarrier"}}, "nobarrier is not safe in a power cut", "add unsafe: true"},
		"no backing":          {experiment.Volume{Disk: emulatedDisk(dir + "/none")}, "no such directory", "create the directory"},
		"no room":             {experiment.Volume{Disk: experiment.Disk{File: dir + "/x", Size: 1 << 60}}, "it is too full", "free some space"},
		"impossible model":    {experiment.Volume{Disk: experiment.Disk{Backing: dir, Emulate: experiment.Emulation{Name: "bad", Model: &device.Device{}}}}, "cannot emulate bad", ""},
	} {
		err := Check(t.Context(), Options{Launcher: launch.NewLocal()}, partOf(tc.v))
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s: error is %v (hint %q)", name, err, hint.Of(err))
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a check made %v", left)
	}
}

func TestUnsafeIsAllowedWhenAskedFor(t *testing.T) {
	asRoot(t)
	v := experiment.Volume{Disk: experiment.Disk{File: filepath.Join(hosttest.OpenDir(t), "x"), Size: 64 * unit.MiB},
		Mount: []string{"data=writeback"}, Unsafe: true}
	o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}
	if err := Check(t.Context(), o, partOf(v)); err != nil {
		t.Fatal(err)
	}
	made, err := Make(t.Context(), o, partOf(v))
	if err != nil {
		t.Fatal(err)
	}
	if f := made.Facts(); len(f.Unsafe) != 1 || f.Unsafe[0] != "data=writeback" || !strings.Contains(f.Options, "data=writeback") {
		t.Errorf("facts are %+v", f)
	}
}

// TestMissingProgram checks that the hint names a missing program.
func TestMissingProgram(t *testing.T) {
	_, err := program{"mkfs.of-nobody"}.run(t.Context(), launch.NewLocal())
	if !errors.Is(err, fs.ErrNotExist) || hint.Of(err) != "install mkfs.of-nobody" {
		t.Errorf("error is %v (hint %q)", err, hint.Of(err))
	}
}

// TestSizeFor checks that a volume's size includes the filesystem's overhead, and that the disks
// of an array share it.
func TestSizeFor(t *testing.T) {
	asRoot(t)
	const data = 512 * unit.MiB
	for _, filesystem := range []string{"ext4", "xfs", "btrfs"} {
		j, dir := journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
		v, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x", Size: int64(data)},
			partOf(experiment.Volume{Disk: experiment.Disk{File: dir + "/x"}, Filesystem: filesystem}))
		if err != nil {
			t.Fatal(err)
		}
		if f := v.Facts(); f.Free < int64(data) || f.Free > int64(data)*2 {
			t.Errorf("%s: %s are free for %s", filesystem, unit.Size(f.Free), data)
		}
		if err := v.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	one := sizeFor(experiment.Volume{}, data)
	if four := sizeFor(experiment.Volume{RAID: "10", Members: make([]experiment.Disk, 4)}, data); four < one/2 || four > one/2+sizeStep {
		t.Errorf("each of four is %s, one alone %s", four, one)
	}
}

func TestTakes(t *testing.T) {
	o := Options{Size: 1 << 30}
	members := []experiment.Disk{{File: "/a/x", Size: 2 * unit.GiB}, emulatedDisk("/b"), {Device: "/dev/sdx"}}
	takes := o.Takes(partOf(experiment.Volume{RAID: "0", Members: members}))
	if len(takes) != 2 || takes[0] != (Takes{Directory: "/a", Bytes: 2 << 30}) || takes[1].Directory != "/b" || takes[1].Bytes < 1<<30/3 {
		t.Errorf("it takes %+v", takes)
	}
	if takes := o.Takes(partOf(experiment.Volume{Directory: "/d"})); len(takes) != 1 || takes[0] != (Takes{Directory: "/d", Bytes: 1 << 30}) {
		t.Errorf("a directory takes %+v", takes)
	}
	sized := emulatedDisk("/b")
	sized.Size = 500 * unit.GiB
	if takes := o.Takes(partOf(experiment.Volume{Disk: sized})); !strings.HasSuffix(takes[0].Hint, "set provisioned: 500GiB") {
		t.Errorf("of a size that somebody gave it says %q", takes[0].Hint)
	}
}

// TestSchedulerOfADeviceThatIsNotThere checks that a device that does not exist yet passes the
// check.
func TestSchedulerOfADeviceThatIsNotThere(t *testing.T) {
	if err := needScheduler("", "a loop device", "mq-deadline"); err != nil {
		t.Error(err)
	}
	if err := needScheduler(t.TempDir(), "a device", "mq-none"); err == nil {
		t.Error("a device without schedulers has one")
	}
}
