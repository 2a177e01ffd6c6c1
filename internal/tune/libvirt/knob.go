package libvirt

import "libvirt.org/go/libvirtxml"

// knob is how one knob stands in a definition. What it means is in the catalog of
// knobs, layer hypervisor.
type knob struct {
	name string
	get  func(*libvirtxml.Domain) string // "" for what the definition does not say
	set  func(*libvirtxml.Domain, string) error
}

// knobs are all of them; I/O threads before what pins them.
var knobs = []knob{
	{"vcpupin", vcpuPin, setVCPUPin},
	{"emulatorpin", emulatorPin, setEmulatorPin},
	{"numatune", numaTune, setNUMATune},
	{"hugepages", hugePages, setHugePages},
	{"locked", locked, setLocked},
	{"cpu_mode", cpuMode, setCPUMode},
	{"memballoon", memBalloon, setMemBalloon},
	{"iothreads", ioThreads, setIOThreads},
	{"iothreadpin", ioThreadPin, setIOThreadPin},
}
