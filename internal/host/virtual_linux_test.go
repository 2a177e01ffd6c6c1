package host

import (
	"testing"
)

const clocksFile = "sys/devices/system/clocksource/clocksource0/available_clocksource"

// The texts are from real machines.
func TestVirtualisation(t *testing.T) {
	guest := "vendor_id : GenuineIntel\nflags : fpu hypervisor sse\n"
	metal := "vendor_id : GenuineIntel\nflags : fpu sse\n"
	arm := "CPU implementer : 0x41\nFeatures : fp asimd\n"
	for name, tc := range map[string]struct {
		cpuinfo string
		files   map[string]string
		kind    string
		product string
	}{
		"server": {metal, map[string]string{dmiDir + "sys_vendor": "Dell Inc.\n", dmiDir + "product_name": "PowerEdge R740\n",
			clocksFile: "tsc hpet acpi_pm\n"}, "", "Dell Inc. PowerEdge R740"},
		"a maker forgot": {metal, map[string]string{dmiDir + "sys_vendor": "To Be Filled By O.E.M.\n", dmiDir + "product_name": "X570\n"}, "", "X570"},
		"Oracle's servers are real": {metal, map[string]string{dmiDir + "sys_vendor": "Oracle Corporation\n",
			dmiDir + "product_name": "ORACLE SERVER X8-2\n"}, "", "Oracle Corporation ORACLE SERVER X8-2"},
		"QEMU with KVM": {guest, map[string]string{dmiDir + "sys_vendor": "QEMU\n", dmiDir + "product_name": "Standard PC (Q35 + ICH9, 2009)\n",
			clocksFile: "kvm-clock tsc acpi_pm\n"}, "kvm", "QEMU Standard PC (Q35 + ICH9, 2009)"},
		"QEMU alone": {guest, map[string]string{dmiDir + "sys_vendor": "QEMU\n", clocksFile: "tsc\n"}, "qemu", "QEMU"},
		"QEMU, arm": {arm, map[string]string{dmiDir + "sys_vendor": "QEMU\n", dmiDir + "product_name": "KVM Virtual Machine\n"},
			"kvm", "QEMU KVM Virtual Machine"},
		"EC2": {guest, map[string]string{dmiDir + "sys_vendor": "Amazon EC2\n", dmiDir + "product_name": "m5.large\n",
			clocksFile: "kvm-clock tsc\n"}, "amazon", "Amazon EC2 m5.large"},
		"EC2 on Xen": {guest, map[string]string{dmiDir + "sys_vendor": "Xen\n", dmiDir + "product_name": "HVM domU\n",
			clocksFile: "xen tsc\n"}, "xen", "Xen HVM domU"},
		"EC2, a whole machine":    {metal, map[string]string{dmiDir + "sys_vendor": "Amazon EC2\n", dmiDir + "product_name": "i3.metal\n"}, "", "Amazon EC2 i3.metal"},
		"EC2, arm":                {arm, map[string]string{dmiDir + "sys_vendor": "Amazon EC2\n", dmiDir + "product_name": "m6g.large\n"}, "amazon", "Amazon EC2 m6g.large"},
		"EC2, arm, whole machine": {arm, map[string]string{dmiDir + "sys_vendor": "Amazon EC2\n", dmiDir + "product_name": "m6g.metal\n"}, "", "Amazon EC2 m6g.metal"},
		"Google": {guest, map[string]string{dmiDir + "sys_vendor": "Google\n", dmiDir + "product_name": "Google Compute Engine\n"},
			"google", "Google Google Compute Engine"},
		"VMware": {guest, map[string]string{dmiDir + "sys_vendor": "VMware, Inc.\n", dmiDir + "product_name": "VMware7,1\n"}, "vmware", "VMware, Inc. VMware7,1"},
		"Azure": {guest, map[string]string{dmiDir + "sys_vendor": "Microsoft Corporation\n", dmiDir + "product_name": "Virtual Machine\n"},
			"microsoft", "Microsoft Corporation Virtual Machine"},
		"Surface": {metal, map[string]string{dmiDir + "sys_vendor": "Microsoft Corporation\n", dmiDir + "product_name": "Surface Pro\n"},
			"", "Microsoft Corporation Surface Pro"},
		"Xen's first domain":     {guest, map[string]string{"proc/xen/capabilities": "control_d\n", "sys/hypervisor/type": "xen\n"}, "", ""},
		"Xen, paravirtual":       {guest, map[string]string{"proc/xen/capabilities": "\n", "sys/hypervisor/type": "xen\n"}, "xen", ""},
		"Hyper-V by its clock":   {guest, map[string]string{clocksFile: "hyperv_clocksource_tsc_page acpi_pm\n"}, "microsoft", ""},
		"Firecracker":            {guest, map[string]string{clocksFile: "tsc kvm-clock \n"}, "kvm", ""},
		"device tree":            {arm, map[string]string{"sys/firmware/devicetree/base/hypervisor/compatible": "linux,kvm\x00"}, "kvm", ""},
		"Raspberry Pi":           {arm, map[string]string{"sys/firmware/devicetree/base/model": "Raspberry Pi 4 Model B Rev 1.4\x00"}, "", "Raspberry Pi 4 Model B Rev 1.4"},
		"User Mode Linux":        {"vendor_id : User Mode Linux\n", nil, "uml", ""},
		"the CPU alone tells it": {guest, nil, "unknown", ""},
	} {
		root := machine(tc.files, map[string]string{"proc/cpuinfo": tc.cpuinfo})
		if got := virtualisation(root); got != tc.kind {
			t.Errorf("%s: %q, want %q", name, got, tc.kind)
		}
		if got := product(root); got != tc.product {
			t.Errorf("%s: product %q, want %q", name, got, tc.product)
		}
	}
}

func TestContainer(t *testing.T) {
	const own, initial = "->pid:[4026532999]", "->" + initialProcessIDs
	const onDisk = "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
		fails bool
	}{
		"none":                    {files: map[string]string{"proc/self/ns/pid": initial, "proc/self/cgroup": "0::/system.slice/docker.service\n"}},
		"kubernetes":              {files: map[string]string{"proc/self/environ": "A=1\x00KUBERNETES_SERVICE_HOST=10.0.0.1\x00", ".dockerenv": ""}, want: "kubernetes"},
		"kubernetes by its group": {files: map[string]string{"proc/self/cgroup": "3:cpu:/kubepods/burstable/pod1/2\n"}, want: "kubernetes"},
		"docker":                  {files: map[string]string{".dockerenv": "", "proc/self/ns/pid": own, "proc/self/mountinfo": "22 1 0:60 / / rw - overlay overlay rw\n"}, want: "docker"},
		"docker by its group":     {files: map[string]string{"proc/self/cgroup": "0::/system.slice/docker-1234.scope\n"}, want: "docker"},
		"docker with the machine's process ids": {files: map[string]string{".dockerenv": "", "proc/self/ns/pid": initial,
			"proc/self/mountinfo": "22 1 0:60 / / rw - overlay overlay rw\n"}, want: "docker"},
		"docker on a directory of a disk": {files: map[string]string{".dockerenv": "", "proc/self/ns/pid": initial,
			"proc/self/mountinfo": "22 1 254:0 /var/lib/docker/vfs/1 / rw - ext4 /dev/vda rw\n"}, want: "docker"},
		"a machine made from an image": {files: map[string]string{".dockerenv": "", "proc/self/ns/pid": initial, "proc/self/mountinfo": onDisk}},
		"podman":                       {files: map[string]string{"run/.containerenv": "", "proc/self/ns/pid": own}, want: "podman"},
		"lxc":                          {files: map[string]string{"proc/1/environ": "container=lxc\x00", "proc/self/ns/pid": own}, want: "lxc"},
		"systemd-nspawn":               {files: map[string]string{"run/systemd/container": "systemd-nspawn\n"}, want: "systemd-nspawn"},
		"wsl":                          {files: map[string]string{"proc/sys/kernel/osrelease": "5.15.90.1-microsoft-standard-WSL2\n"}, want: "wsl"},
		"an unknown one":               {files: map[string]string{"proc/self/ns/pid": own, "proc/self/mountinfo": onDisk}, want: "unknown"},
		"nothing told":                 {fails: true},
	} {
		if got, err := container(machine(tc.files)); got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tc.want)
		}
	}
}
