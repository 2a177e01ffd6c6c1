package host

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"plinth/internal/host/sysfs"
)

// machine returns a tree of files. A text that begins with "->" is a symbolic link.
func machine(files ...map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for _, more := range files {
		for name, text := range more {
			if target, isLink := strings.CutPrefix(text, "->"); isLink {
				root[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
				continue
			}
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return root
}

// blockDevice returns the files of a device as in /sys: below its parent for a partition
// ("sda/sda1"), with links to the devices below it.
func blockDevice(name, number string, on ...string) map[string]string {
	disk, partition, isPartition := strings.Cut(name, "/")
	dir := "sys/devices/blocks/" + name
	files := map[string]string{dir + "/size": "2048\n"}
	if isPartition {
		name = partition
		files[dir+"/partition"] = "1\n"
	} else {
		files["sys/block/"+disk] = "->../devices/blocks/" + disk
		files[dir+"/queue/read_ahead_kb"] = "128\n"
	}
	files["sys/class/block/"+name] = "->../../" + strings.TrimPrefix(dir, "sys/")
	files["sys/dev/block/"+number] = "->../../" + strings.TrimPrefix(dir, "sys/")
	for _, below := range on {
		files[dir+"/slaves/"+below+"/size"] = "2048\n"
	}
	return files
}

func disk(name, number string) map[string]string {
	files := blockDevice(name, number)
	files["sys/devices/blocks/"+name+"/device/model"] = "Disk of a test\n"
	return files
}

// with adds files to a device.
func with(files map[string]string, dir string, texts map[string]string) map[string]string {
	for name, text := range texts {
		files["sys/devices/blocks/"+dir+"/"+name] = text
	}
	return files
}

// outline returns a line for each layer of a place: "md0 (md raid10) on sda, sdb".
func outline(p Place) (lines []string) {
	for _, l := range p.Layers {
		line := l.Name + " (" + l.Kind + ")"
		if len(l.On) > 0 {
			line += " on " + strings.Join(l.On, ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStacks(t *testing.T) {
	lvm := map[string]string{"dm/name": "vg-da--ta\n", "dm/uuid": "LVM-abc\n", "dm/suspended": "0\n"}
	crypt := map[string]string{"dm/name": "secret\n", "dm/uuid": "CRYPT-LUKS2-abc-secret\n"}
	for name, tc := range map[string]struct {
		root  fs.FS
		mount string
		path  string
		lines []string
		disks []string
		gap   string
	}{
		"partition": {
			root:  machine(disk("nvme0n1", "259:0"), blockDevice("nvme0n1/nvme0n1p2", "259:2")),
			mount: "1 0 259:2 / / rw - ext4 /dev/root rw",
			lines: []string{"nvme0n1p2 (partition) on nvme0n1", "nvme0n1 (disk)"}, disks: []string{"nvme0n1"},
		},
		"LVM on LUKS on a partition": {
			root: machine(disk("sda", "8:0"), blockDevice("sda/sda3", "8:3"),
				with(blockDevice("dm-0", "253:0", "sda3"), "dm-0", crypt),
				with(blockDevice("dm-1", "253:1", "dm-0"), "dm-1", lvm)),
			mount: "1 0 253:1 / / rw - xfs /dev/mapper/vg-da--ta rw",
			lines: []string{"dm-1 (dm lvm) on dm-0", "dm-0 (dm crypt) on sda3", "sda3 (partition) on sda", "sda (disk)"},
			disks: []string{"sda"},
		},
		"RAID10, one disk lost, resyncing": {
			root: machine(disk("sda", "8:0"), disk("sdb", "8:16"), disk("sdc", "8:32"),
				with(blockDevice("md0", "9:0", "sda", "sdb", "sdc"), "md0", map[string]string{
					"md/level": "raid10\n", "md/raid_disks": "4\n", "md/chunk_size": "524288\n",
					"md/degraded": "1\n", "md/sync_action": "recover\n"})),
			mount: "1 0 9:0 / / rw - ext4 /dev/md0 rw",
			lines: []string{"md0 (md raid10) on sda, sdb, sdc", "sda (disk)", "sdb (disk)", "sdc (disk)"},
			disks: []string{"sda", "sdb", "sdc"},
		},
		"two logical volumes' disk is met once": {
			root: machine(disk("sda", "8:0"), blockDevice("sda/sda1", "8:1"), blockDevice("sda/sda2", "8:2"),
				with(blockDevice("dm-0", "253:0", "sda1", "sda2"), "dm-0", lvm)),
			mount: "1 0 253:0 / / rw - ext4 /dev/mapper/vg-da--ta rw",
			lines: []string{"dm-0 (dm lvm) on sda1, sda2", "sda1 (partition) on sda", "sda (disk)", "sda2 (partition) on sda"},
			disks: []string{"sda"},
		},
		"loop on a file on a disk": {
			root: machine(disk("vda", "254:0"),
				with(blockDevice("loop0", "7:0"), "loop0", map[string]string{"loop/backing_file": "/images/a b.img\n", "loop/dio": "1\n"})),
			mount: "1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 7:0 / /mnt rw - xfs /dev/loop0 rw", path: "/mnt",
			lines: []string{"loop0 (loop) on vda", "vda (disk)"}, disks: []string{"vda"},
		},
		"loop on itself": {
			root: machine(
				with(blockDevice("loop0", "7:0"), "loop0", map[string]string{"loop/backing_file": "/mnt/image\n"})),
			mount: "2 1 7:0 / /mnt rw - xfs /dev/loop0 rw", path: "/mnt",
			lines: []string{"loop0 (loop) on loop0"},
		},
		"loop whose file was deleted": {
			root: machine(
				with(blockDevice("loop0", "7:0"), "loop0", map[string]string{"loop/backing_file": "/image (deleted)\n"})),
			mount: "2 1 7:0 / / rw - xfs /dev/loop0 rw",
			lines: []string{"loop0 (loop)"}, gap: "the file of a loop device was deleted: /image (deleted)",
		},
		"loop in a container whose host has the file": {
			root: machine(
				with(blockDevice("loop0", "7:0"), "loop0", map[string]string{"loop/backing_file": "/host/image\n"})),
			mount: "2 1 7:0 / /data rw - xfs /dev/loop0 rw", path: "/data",
			lines: []string{"loop0 (loop)"},
			gap:   "the file of a loop device, /host/image, is not visible from here: file does not exist",
		},
		"btrfs of two disks": {
			root: machine(disk("sda", "8:0"), disk("sdb", "8:16"), map[string]string{
				"sys/fs/btrfs/1111/devices/sda/size": "1", "sys/fs/btrfs/1111/devices/sdb/size": "1",
				"sys/fs/btrfs/2222/devices/sdc/size": "1"}),
			mount: "1 0 0:50 /sub / rw - btrfs /dev/sdb rw,subvol=/sub",
			lines: []string{"sda (disk)", "sdb (disk)"}, disks: []string{"sda", "sdb"},
		},
		"btrfs by an alias": {
			root: machine(disk("sda", "8:0"), map[string]string{"sys/fs/btrfs/1111/devices/sda/size": "1",
				"sys/fs/btrfs/features/big": "1"}),
			mount: "1 0 0:50 / / rw - btrfs /dev/root rw",
			lines: []string{"sda (disk)"}, disks: []string{"sda"},
		},
		"btrfs by an alias among two": {
			root: machine(disk("sda", "8:0"), map[string]string{"sys/fs/btrfs/1111/devices/sda/size": "1",
				"sys/fs/btrfs/2222/devices/sdc/size": "1"}),
			mount: "1 0 0:50 / / rw - btrfs /dev/root rw",
			gap:   "/sys/fs/btrfs does not list the devices of the btrfs on /dev/root",
		},
		"btrfs on a logical volume, of two": {
			root: machine(disk("sda", "8:0"), with(blockDevice("dm-0", "253:0", "sda"), "dm-0",
				map[string]string{"dm/name": "v--g-da--ta\n", "dm/uuid": "LVM-abc\n"}),
				map[string]string{"sys/fs/btrfs/1111/devices/dm-0/size": "1", "sys/fs/btrfs/2222/devices/sdc/size": "1"}),
			mount: "1 0 0:50 / / rw - btrfs /dev/v-g/da-ta rw",
			lines: []string{"dm-0 (dm lvm) on sda", "sda (disk)"}, disks: []string{"sda"},
		},
		"bcachefs": {
			root:  machine(disk("sda", "8:0"), disk("sdb", "8:16")),
			mount: "1 0 0:50 / / rw - bcachefs /dev/sda:/dev/sdb:/dev/sdz rw",
			lines: []string{"sda (disk)", "sdb (disk)"}, disks: []string{"sda", "sdb"}, gap: "/dev/sdz is not in /sys",
		},
		"XFS with its log elsewhere": {
			root:  machine(disk("sda", "8:0"), disk("sdb", "8:16")),
			mount: "1 0 8:0 / / rw - xfs /dev/sda rw,logdev=/dev/sdb",
			lines: []string{"sda (disk)", "sdb (disk)"}, disks: []string{"sda", "sdb"},
		},
		"overlay, its upper directory on a disk": {
			root:  machine(disk("sda", "8:0")),
			mount: `1 0 8:0 / / rw - ext4 /dev/sda rw` + "\n" + `2 1 0:60 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/a\134\054b/\134\134c,workdir=/w`,
			path:  "/merged",
			lines: []string{"sda (disk)"}, disks: []string{"sda"},
		},
		"overlay in a container": {
			root:  machine(disk("sda", "8:0")),
			mount: `2 1 0:60 / /in rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/diff,workdir=/w`, path: "/in",
			gap: "the upper directory of the overlay, /var/lib/docker/diff, is not visible from here: file does not exist",
		},
		"overlay on its own upper directory": {
			root:  machine(),
			mount: `2 1 0:60 / /up rw - overlay overlay rw,lowerdir=/l,upperdir=/up,workdir=/w`, path: "/up",
			gap: "the overlay hides its own upper directory, /up",
		},
		"overlay that is read only": {
			root:  machine(),
			mount: `2 1 0:60 / / ro - overlay overlay ro,lowerdir=/l:/m`,
			gap:   "the overlay is read-only: it writes to no disk",
		},
		"overlay with a relative directory": {
			root:  machine(),
			mount: `2 1 0:60 / / rw - overlay overlay rw,lowerdir=l,upperdir=u,workdir=w`,
			gap:   "the upper directory of the overlay, u, is relative to an unknown directory",
		},
		"bcache": {
			root:  machine(disk("sda", "8:0"), disk("nvme0n1", "259:0"), blockDevice("bcache0", "252:0", "nvme0n1", "sda")),
			mount: "1 0 252:0 / / rw - ext4 /dev/bcache0 rw",
			lines: []string{"bcache0 (bcache) on nvme0n1, sda", "nvme0n1 (disk)", "sda (disk)"}, disks: []string{"nvme0n1", "sda"},
		},
		"zram": {
			root:  machine(blockDevice("zram0", "253:0")),
			mount: "1 0 253:0 / / rw - ext4 /dev/zram0 rw",
			lines: []string{"zram0 (zram)"},
		},
		"mapped from nothing": {
			root:  machine(with(blockDevice("dm-0", "253:0"), "dm-0", map[string]string{"dm/name": "zero"})),
			mount: "1 0 253:0 / / rw - ext4 /dev/mapper/zero rw",
			lines: []string{"dm-0 (dm)"}, gap: "/sys shows nothing below dm-0",
		},
		"an old RAID controller's name has a slash": {
			root:  machine(disk("cciss!c0d0", "104:0")),
			mount: "1 0 104:0 / / rw - ext4 /dev/cciss/c0d0 rw",
			lines: []string{"cciss!c0d0 (disk)"}, disks: []string{"cciss!c0d0"},
		},
		"zfs": {
			root:  machine(),
			mount: "1 0 0:50 / / rw - zfs tank/data rw",
			gap:   "/sys does not show the disks of ZFS pools: run zpool status tank",
		},
		"no /sys": {
			root:  machine(),
			mount: "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
			gap:   "/sys/dev/block/8:1: file does not exist",
		},
		"tmpfs": {root: machine(), mount: "1 0 0:20 / / rw - tmpfs tmpfs rw"},
		"nfs":   {root: machine(), mount: "1 0 0:20 / / rw - nfs4 filer:/x rw"},
		"fuse":  {root: machine(), mount: "1 0 0:20 / / rw - fuse.what x rw", gap: "fuse.what has no visible block device"},
	} {
		t.Run(name, func(t *testing.T) {
			lookup := mountsOf(tc.mount)
			if tc.path == "" {
				tc.path = "/"
			}
			f, err := lookup(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			place := placeOn(tc.root, lookup, f)
			if got := outline(place); !slices.Equal(got, tc.lines) {
				t.Errorf("layers are %q, want %q", got, tc.lines)
			}
			if !slices.Equal(place.Disks, tc.disks) {
				t.Errorf("disks are %q, want %q", place.Disks, tc.disks)
			}
			var why string
			for _, gap := range place.Gaps {
				why += gap.Why
			}
			if why != tc.gap {
				t.Errorf("gaps are %q, want %q", why, tc.gap)
			}
			if inMemory := name == "tmpfs" || name == "zram"; place.InMemory != inMemory || place.Network != (name == "nfs") {
				t.Errorf("in memory: %v, network: %v", place.InMemory, place.Network)
			}
		})
	}
}

func TestLayerDetails(t *testing.T) {
	root := machine(disk("sda", "8:0"),
		with(blockDevice("md0", "9:0", "sda"), "md0", map[string]string{
			"md/level": "raid10\n", "md/raid_disks": "4\n", "md/chunk_size": "524288\n",
			"md/degraded": "1\n", "md/sync_action": "recover\n"}),
		with(blockDevice("dm-0", "253:0", "md0"), "dm-0", map[string]string{
			"dm/name": "vg-data\n", "dm/uuid": "LVM-x\n", "dm/suspended": "1\n", "queue/read_ahead_kb": "4096\n"}))
	place := placeOn(root, nil, Filesystem{ID: "253:0"})
	want := []Layer{
		{Name: "dm-0", Kind: "dm lvm", Detail: "vg-data, suspended", On: []string{"md0"}, ReadAhead: 4 << 20},
		{Name: "md0", Kind: "md raid10", Detail: "4 disks, chunk 512KiB, 1 missing, recover", On: []string{"sda"},
			ReadAhead: 128 << 10, Missing: 1, Sync: "recover"},
		{Name: "sda", Kind: "disk", ReadAhead: 128 << 10},
	}
	if !reflect.DeepEqual(place.Layers, want) {
		t.Errorf("layers are\n%+v, want\n%+v", place.Layers, want)
	}
}

// Even if /sys is inconsistent about partitions, arrays and loops, the walk ends and lists
// each device once.
func FuzzStack(f *testing.F) {
	f.Add("md0", "raid5", "md0", "/x")
	f.Add("sda", "", "../..", "/mnt (deleted)")
	f.Add("loop0", "1", "loop1", "/mnt/a")
	f.Fuzz(func(t *testing.T, name, level, below, file string) {
		if strings.ContainsAny(name+below, "/\x00") || !fs.ValidPath("a/"+name+"/"+below) {
			return
		}
		root := fstest.MapFS{}
		for path, text := range map[string]string{
			classDir + name + "/slaves/" + below + "/size":      "1",
			classDir + below + "/slaves/" + name + "/size":      "1",
			classDir + name + "/md/level":                       level,
			classDir + below + "/loop/backing_file":             file,
			"sys/block/" + name + "/" + below + "/partition":    level,
			"sys/fs/btrfs/" + name + "/devices/" + below + "/x": level,
		} {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		root["sys/dev/block/1:1"] = &fstest.MapFile{Data: []byte("../../devices/" + name), Mode: fs.ModeSymlink}
		lookup := func(string) (Filesystem, error) {
			if level == "" {
				return Filesystem{}, errors.New(file)
			}
			return Filesystem{Type: level, ID: "1:1", Source: file, Upper: below}, nil
		}
		for _, kind := range []string{"ext4", "btrfs", "overlay"} {
			place := placeOn(root, lookup, Filesystem{Type: kind, ID: "1:1", Source: "/dev/" + name, Upper: file})
			seen := map[string]bool{}
			for _, layer := range place.Layers {
				if seen[layer.Name] {
					t.Errorf("%s is told twice", layer.Name)
				}
				seen[layer.Name] = true
			}
		}
	})
}

// The files of this machine are read through symbolic links, which captures may lack.
func TestDeviceByNumberOfThisMachine(t *testing.T) {
	root := os.DirFS("/")
	links, err := fs.ReadDir(root, "sys/dev/block")
	if err != nil || len(links) == 0 {
		t.Fatalf("no block devices: %v", err)
	}
	for _, link := range links {
		name, err := deviceByNumber(root, link.Name())
		if err != nil || sysfs.Word(root, classDir+name+"/dev") != link.Name() {
			t.Errorf("%s is %q: %v", link.Name(), name, err)
		}
	}
}

// Comma and backslash are escaped as by Linux 6.18.
func TestUpperOfOverlay(t *testing.T) {
	for line, want := range map[string]string{
		`2 1 0:60 / /m rw - overlay overlay rw,lowerdir=/l,upperdir=/a\134\054b/\134\134c\040d,workdir=/w`: `/a,b/\c d`,
		`2 1 0:60 / /m rw - overlay overlay ro,lowerdir=/l:/m`:                                             "",
		`2 1 0:60 / /m rw - tmpfs tmpfs rw,upperdir=/x`:                                                    "",
	} {
		if m, ok := parseMount(line); !ok || m.Upper != want {
			t.Errorf("%s: %q, want %q", line, m.Upper, want)
		}
	}
}

// TestDeviceOfSeveral checks that a filesystem on several disks has no device of its own: one of them does not
// receive all of its requests.
func TestDeviceOfSeveral(t *testing.T) {
	a, b := Layer{Name: "sda", Kind: "disk"}, Layer{Name: "sdb", Kind: "disk"}
	disks := []string{"sda", "sdb"}
	for want, p := range map[string]Place{
		"":    {Layers: []Layer{a, b}, Disks: disks},
		"sda": {Layers: []Layer{{Name: "sda1", Kind: "partition"}, a}, Disks: disks[:1]},
		"md0": {Layers: []Layer{{Name: "md0", Kind: "md raid1"}, a, b}, Disks: disks},
	} {
		if got := p.Device(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
