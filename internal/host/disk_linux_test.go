package host

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// diskAt returns the files of a disk at a path below /sys/devices, with further files of it.
func diskAt(path string, more map[string]string) map[string]string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dir := "sys/devices/" + path
	files := map[string]string{"sys/block/" + name: "->../devices/" + path, dir + "/size": "2048\n", dir + "/device/x": ""}
	for file, text := range more {
		files[dir+"/"+file] = text
	}
	return files
}

func TestDisks(t *testing.T) {
	root := machine(
		diskAt("pci0000:80/0000:80:01.0/nvme/nvme0/nvme0n1", map[string]string{
			"size": "7501476528\n", "device/model": "SAMSUNG MZQL23T8HCLS-00A07            \n", "device/transport": "pcie\n",
			"queue/rotational": "0\n", "queue/scheduler": "[none] mq-deadline kyber\n", "queue/read_ahead_kb": "128\n",
			"queue/write_cache": "write through\n", "queue/fua": "1\n", "queue/nr_requests": "1023\n", "queue/max_sectors_kb": "1280\n",
			"queue/logical_block_size": "512\n", "queue/physical_block_size": "4096\n", "queue/discard_max_bytes": "2199023255040\n"}),
		map[string]string{"sys/devices/pci0000:80/0000:80:01.0/numa_node": "1\n"},
		diskAt("virtual/block/loop0", map[string]string{"loop/backing_file": "/x\n"}),
		diskAt("pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sr0", map[string]string{"size": "0\n"}),
		diskAt("virtual/nvme-subsystem/nvme-subsys0/nvme0c0n1", map[string]string{"hidden": "1\n"}),
		map[string]string{"sys/devices/virtual/block/nbd0/size": "4096\n", "sys/block/nbd0": "->../devices/virtual/block/nbd0",
			"sys/devices/virtual/block/dm-0/size": "4096\n", "sys/block/dm-0": "->../devices/virtual/block/dm-0"},
	)
	delete(root, "sys/devices/virtual/block/loop0/device/x")
	var i Inventory
	i.addDisks(root)
	want := []Disk{
		{Name: "nbd0", Transport: "nbd", Size: 2 << 20, NUMANode: -1},
		{Name: "nvme0n1", Model: "SAMSUNG MZQL23T8HCLS-00A07", Transport: "nvme", Size: 7501476528 << 9, Scheduler: "none",
			ReadAhead: 128 << 10, WriteCache: "write through", FUA: true, NrRequests: 1023, MaxSectors: 1280 << 10,
			Logical: 512, Physical: 4096, Discard: true, NUMANode: 1},
	}
	if !reflect.DeepEqual(i.Disks, want) || len(i.Gaps) != 0 {
		t.Errorf("disks are\n%+v, want\n%+v (gaps %v)", i.Disks, want, i.Gaps)
	}
}

// The paths come from real machines.
func TestTransports(t *testing.T) {
	const pci = "pci0000:00/0000:00:1f.2/"
	for path, want := range map[string]string{
		pci + "ata1/host0/target0:0:0/0:0:0:0/block/sda":                                            "sata",
		pci + "host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sdb":                         "sas",
		pci + "usb1/1-1/1-1:1.0/host6/target6:0:0/6:0:0:0/block/sdc":                                "usb",
		pci + "virtio1/block/vda":                                                                   "virtio",
		pci + "virtio0/host0/target0:0:0/0:0:0:1/block/sdd":                                         "virtio",
		pci + "host2/target2:0:0/2:0:0:0/block/sde":                                                 "scsi",
		pci + "host7/rport-7:0-0/target7:0:0/7:0:0:0/block/sdf":                                     "fc",
		"platform/host9/session1/target9:0:0/9:0:0:1/block/sdg":                                     "iscsi",
		"platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0":                      "mmc",
		"vbd-51712/block/xvda":                                                                      "xen",
		"LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/f8b3781a/host0/target0:0:0/0:0:0:0/block/sdh": "hyper-v",
		"LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/namespace0.0/block/pmem0":               "pmem",
		"rbd/0/block/rbd0": "rbd",
		"platform/soc@0/1d84000.ufshc/host0/target0:0:0/0:0:0:0/block/sda": "ufs",
		"virtual/block/strange":    "",
		pci + "nvme/nvme1/nvme1n1": "nvme",
	} {
		name := path[strings.LastIndexByte(path, '/')+1:]
		if got := transport(machine(diskAt(path, nil)), name); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	multipath := machine(diskAt("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", map[string]string{"device/nvme0/transport": "tcp\n"}))
	if got := transport(multipath, "nvme0n1"); got != "nvme-tcp" {
		t.Errorf("over TCP: %q", got)
	}
}

func TestDiskModels(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"WDC WD40EFRX-68N":   {"device/vendor": "ATA     \n", "device/model": "WDC WD40EFRX-68N\n"},
		"QEMU QEMU HARDDISK": {"device/vendor": "QEMU    \n", "device/model": "QEMU HARDDISK   \n"},
		"":                   {"device/vendor": "0x1af4\n"},
		"SD32G":              {"device/name": "SD32G\n"},
	} {
		if got := diskModel(machine(diskAt("d/sda", files)), "sys/block/sda/device/"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each disk of this machine has the properties of every block device.
func TestDisksOfThisMachine(t *testing.T) {
	var i Inventory
	i.addDisks(os.DirFS("/"))
	if len(i.Disks) == 0 && len(i.Gaps) == 0 {
		t.Error("there is neither a disk nor a gap")
	}
	for _, d := range i.Disks {
		if d.Size <= 0 || d.Logical < 512 || d.Physical < d.Logical || d.Scheduler == "" || d.MaxSectors <= 0 || d.WriteCache == "" {
			t.Errorf("%+v", d)
		}
		if size := tool(t, "lsblk", "--bytes", "--nodeps", "--noheadings", "--output", "SIZE", "/dev/"+d.Name); size != strconv.Itoa(int(d.Size)) {
			t.Errorf("%s has %d bytes; lsblk says %s", d.Name, d.Size, size)
		}
	}
}
