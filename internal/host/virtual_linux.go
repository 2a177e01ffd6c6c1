package host

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// addVirtualisation adds the product, the hypervisor and the container.
func (i *Inventory) addVirtualisation(root fs.FS) {
	i.Product = product(root)
	i.Virtualisation = virtualisation(root)
	kind, err := container(root)
	i.Container = kind
	if err != nil {
		i.gap("container", err)
	}
}

const dmiDir = "sys/class/dmi/id/"

// product returns vendor and name from the firmware (DMI), or the model from the device tree.
// Placeholders that the vendor did not fill in are left out.
func product(root fs.FS) string {
	vendor, name := sysfs.Word(root, dmiDir+"sys_vendor"), sysfs.Word(root, dmiDir+"product_name")
	if vendor == "" && name == "" {
		return strings.TrimRight(sysfs.Word(root, "sys/firmware/devicetree/base/model"), "\x00")
	}
	var words []string
	for _, word := range []string{vendor, name} {
		switch word {
		case "", "To Be Filled By O.E.M.", "Default string", "System manufacturer", "System Product Name":
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// firmwares maps prefixes of DMI fields that only virtual machines have to the names that
// systemd-detect-virt(1) uses.
var firmwares = []struct{ beginning, name string }{
	{"KVM", "kvm"},
	{"OpenStack", "kvm"},
	{"KubeVirt", "kvm"},
	{"cloud-hypervisor", "kvm"},
	{"Amazon EC2", "amazon"},
	{"Google Compute Engine", "google"},
	{"QEMU", "qemu"},
	{"VMware", "vmware"},
	{"VMW", "vmware"},
	{"innotek GmbH", "oracle"},
	{"VirtualBox", "oracle"},
	{"Xen", "xen"},
	{"Bochs", "bochs"},
	{"Parallels", "parallels"},
	{"BHYVE", "bhyve"},
	{"Hyper-V", "microsoft"},
	{"Virtual Machine", "microsoft"}, // the product name; the vendor, Microsoft Corporation, also makes physical machines
	{"Apple Virtualization", "apple"},
}

// virtualisation returns the hypervisor of this machine, "" for bare metal, or "unknown" if
// only the CPU reports one. systemd asks the CPU for its name (CPUID); the available clock
// sources give the same answer and are files.
func virtualisation(root fs.FS) string {
	cpuinfo := sysfs.Word(root, "proc/cpuinfo")
	flag := proc.IsVirtual(cpuinfo)
	clock := clockOfGuest(sysfs.Word(root, "sys/devices/system/clocksource/clocksource0/available_clocksource"))
	firmware := firmwareOfGuest(root)
	switch {
	case strings.Contains(sysfs.Word(root, "proc/xen/capabilities"), "control_d"):
		return "" // Xen's first domain controls the whole machine
	case strings.Contains(cpuinfo, "User Mode Linux"):
		return "uml"
	case firmware == "qemu" && clock == "kvm":
		return clock // QEMU firmware, accelerated by KVM
	case firmware != "" && !isMetal(root, firmware, cpuinfo):
		return firmware
	case sysfs.Word(root, "sys/hypervisor/type") == "xen":
		return "xen"
	case clock != "":
		return clock
	case strings.HasPrefix(sysfs.Word(root, "sys/firmware/devicetree/base/hypervisor/compatible"), "linux,kvm"):
		return "kvm"
	case flag:
		return "unknown"
	}
	return ""
}

func firmwareOfGuest(root fs.FS) string {
	for _, field := range []string{"product_name", "sys_vendor", "board_vendor", "bios_vendor"} {
		value := sysfs.Word(root, dmiDir+field)
		for _, f := range firmwares {
			if strings.HasPrefix(value, f.beginning) {
				return f.name
			}
		}
	}
	return ""
}

// isMetal reports whether a cloud's firmware belongs to a bare-metal instance: the product is
// then "m5.metal", or an x86 CPU shows no hypervisor.
func isMetal(root fs.FS, firmware, cpuinfo string) bool {
	if firmware != "amazon" && firmware != "google" {
		return false
	}
	if strings.Contains(sysfs.Word(root, dmiDir+"product_name"), "metal") {
		return true
	}
	x86 := strings.Contains(cpuinfo, "vendor_id")
	return x86 && !proc.IsVirtual(cpuinfo)
}

// clockOfGuest returns the hypervisor that offers these clock sources.
func clockOfGuest(clocks string) string {
	all := strings.Fields(clocks)
	switch {
	case slices.Contains(all, "kvm-clock"):
		return "kvm"
	case slices.Contains(all, "xen"):
		return "xen"
	case strings.Contains(clocks, "hyperv_clocksource"):
		return "microsoft"
	}
	return ""
}

// IsVirtual reports whether this is a virtual machine, according to its CPU.
func IsVirtual() bool { return proc.IsVirtual(sysfs.Word(os.DirFS("/"), "proc/cpuinfo")) }
