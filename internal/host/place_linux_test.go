package host

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
)

// tool runs a program and returns its output.
func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// loopOn creates a loop device of 64 MiB on a new file in dir.
func loopOn(t testing.TB, dir string) (device, file string) {
	t.Helper()
	file = filepath.Join(dir, "an image")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<20); err != nil {
		t.Fatal(err)
	}
	device = tool(t, "losetup", "--find", "--show", file)
	t.Cleanup(func() { tool(t, "losetup", "--detach", device) })
	return device, file
}

// mountAt mounts at a new directory of that name until the end of the test.
func mountAt(t testing.TB, name, source, kind string, flags uintptr, options string) string {
	t.Helper()
	target := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(source, target, kind, flags, options); err != nil {
		t.Fatalf("cannot mount %s: %v", source, err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
	return target
}

func placeOf(t testing.TB, path string) Place {
	t.Helper()
	place, err := PlaceOf("data", path)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// A filesystem on a loop device resides on the disks of the file's filesystem, whether reached
// directly, through a bind mount, or under an overlay.
func TestPlaceThroughRealDevices(t *testing.T) {
	needOtherUser(t)
	below := t.TempDir()
	ground := placeOf(t, below)
	device, file := loopOn(t, below)
	tool(t, "mkfs.ext4", "-q", device)
	mounted := mountAt(t, "mounted", device, "ext4", syscall.MS_NOATIME, "")
	name := filepath.Base(device)

	place := placeOf(t, mounted)
	want := Layer{Name: name, Kind: "loop", Detail: file, On: layersRightBelow(ground), ReadAhead: place.Layers[0].ReadAhead}
	if place.Filesystem != "ext4" || place.Source != device || !reflect.DeepEqual(place.Layers[0], want) {
		t.Errorf("the place is %+v, want the layer %+v", place, want)
	}
	if place.Layers[0].ReadAhead == 0 || !strings.Contains(place.Options, "noatime") {
		t.Errorf("read-ahead %d, options %s", place.Layers[0].ReadAhead, place.Options)
	}
	if place.Size < 32<<20 || place.Size > 64<<20 || place.Free <= 0 || place.Free >= place.Size {
		t.Errorf("size %d, free %d", place.Size, place.Free)
	}
	sameGround := func(what, path string, layers []string) {
		t.Helper()
		p := placeOf(t, path)
		if want := append(slices.Clone(layers), outline(ground)...); !slices.Equal(outline(p), want) {
			t.Errorf("%s: layers are %q, want %q (gaps %v)", what, outline(p), want, p.Gaps)
		}
		if !slices.Equal(p.Disks, ground.Disks) || !reflect.DeepEqual(p.Gaps, ground.Gaps) {
			t.Errorf("%s: disks %q, gaps %v; want %q, %v", what, p.Disks, p.Gaps, ground.Disks, ground.Gaps)
		}
	}
	loop := outline(place)[:1]
	sameGround("itself", mounted, loop)
	bound := mountAt(t, "bound, here", mounted, "", syscall.MS_BIND, "")
	sameGround("bound", bound, loop)

	upper, work := filepath.Join(bound, "upper"), filepath.Join(bound, "work")
	for _, dir := range []string{upper, work} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	escape := strings.NewReplacer(",", `\,`)
	overlay := mountAt(t, "overlay", "overlay", "overlay", 0,
		"lowerdir=/usr/share,upperdir="+escape.Replace(upper)+",workdir="+escape.Replace(work))
	if p := placeOf(t, overlay); p.Filesystem != "overlay" {
		t.Errorf("the overlay is %+v", p)
	}
	sameGround("overlay", overlay, loop)
}

// layersRightBelow returns the device that holds the filesystem of a place.
func layersRightBelow(p Place) []string {
	if len(p.Layers) == 0 {
		return nil
	}
	return []string{p.Layers[0].Name}
}

func TestPlaceInMemoryAfterAll(t *testing.T) {
	needOtherUser(t)
	memory := mountAt(t, "memory", "plinth test", "tmpfs", 0, "")
	device, file := loopOn(t, memory)
	tool(t, "mkfs.xfs", "-q", "--unsupported", device)
	mounted := mountAt(t, "mounted", device, "xfs", 0, "")
	place := placeOf(t, mounted)
	if !place.InMemory || len(place.Disks) != 0 || len(place.Gaps) != 0 || place.Layers[0].Detail != file {
		t.Errorf("a loop device on tmpfs is %+v", place)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	gaps := []Gap{{What: "disks", Why: "the file of a loop device was deleted: " + file + " (deleted)"}}
	if place = placeOf(t, mounted); !reflect.DeepEqual(place.Gaps, gaps) || len(place.Disks) != 0 {
		t.Errorf("when its file is deleted: %+v", place)
	}
}

// lsblk(8) finds the same devices below a filesystem.
func TestPlaceAgreesWithLsblk(t *testing.T) {
	place := placeOf(t, t.TempDir())
	if len(place.Layers) == 0 {
		if len(place.Gaps) == 0 && !place.InMemory && !place.Network {
			t.Errorf("nobody knows what %+v stands on", place)
		}
		return // a container's overlay, for example
	}
	var names []string
	for _, layer := range place.Layers {
		names = append(names, layer.Name)
	}
	want := strings.Fields(tool(t, "lsblk", "--inverse", "--noheadings", "--list", "--output", "KNAME", "/dev/"+names[0]))
	slices.Sort(names)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(names, want) {
		t.Errorf("layers are %q; lsblk says %q", names, want)
	}
}

func TestPlaceOfNothing(t *testing.T) {
	if _, err := PlaceOf("wal", "/nowhere/at/all"); err == nil || !strings.Contains(err.Error(), "cannot inspect the location of wal: ") {
		t.Errorf("of nothing: %v", err)
	}
	if p, err := PlaceOf("data", "."); err != nil || !filepath.IsAbs(p.Path) || p.Role != "data" {
		t.Errorf("of a relative path: %+v, %v", p, err)
	}
}

// If access is denied, the error says who has it.
func TestPlaceThatIsClosed(t *testing.T) {
	user := needOtherUser(t)
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.MkdirAll(filepath.Join(closed, "pg_wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := user.Do(func() { _, failed = PlaceOf("wal", filepath.Join(closed, "pg_wal")) }); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(failed, fs.ErrPermission) || hint.Of(failed) == "" {
		t.Errorf("%v, hint %q", failed, hint.Of(failed))
	}
}
