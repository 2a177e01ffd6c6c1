// Package knob is the catalog of knobs: the settings that can be tuned in a database server, and
// in the system under it, down to the hypervisor. The catalog is data, one file per layer. Each
// knob has the name that its own documentation uses. The catalog does not state the effect of a
// value: that must be measured.
package knob

// Layer is the part of the system that a knob belongs to.
type Layer string

// The layers, from the bottom up.
const (
	Hypervisor Layer = "hypervisor" // the domain of a virtual machine, as libvirt describes it
	Kernel     Layer = "kernel"     // /proc/sys, /sys/kernel/mm
	CPU        Layer = "cpu"        // frequency, idle states, SMT
	Placement  Layer = "placement"  // CPUs and memory nodes that a server may use, and CPUs that may handle an interrupt
	Block      Layer = "block"      // the queue of a disk
	Mount      Layer = "mount"      // options of a mounted filesystem
	Pod        Layer = "pod"        // what the pod of a server on Kubernetes asks its node for
	Server     Layer = "server"     // PostgreSQL or Redis
)

// Layers returns all layers, from the bottom up: the order in which plans list and apply
// them.
func Layers() []Layer {
	return []Layer{Hypervisor, Kernel, CPU, Placement, Block, Mount, Pod, Server}
}

// Scope is the kind of object that a knob belongs to, which determines what may follow the
// @ of a Key.
type Scope string

// The scopes.
const (
	OfHost   Scope = "host"   // the machine: no @
	OfNode   Scope = "node"   // a NUMA node: nr_hugepages@node0
	OfCPU    Scope = "cpu"    // CPUs: scaling_governor for all of them, scaling_governor@8-13 for some
	OfIRQ    Scope = "irq"    // an interrupt: smp_affinity_list@24, or those of a disk: smp_affinity_list@nvme0n1
	OfDevice Scope = "device" // a disk by its name or its role: read_ahead_kb@nvme0n1, read_ahead_kb@data
	OfMount  Scope = "mount"  // a filesystem by its mount point or its role: options@wal
	OfServer Scope = "server" // the server: no @
	OfDomain Scope = "domain" // a libvirt domain: vcpupin@vm1; without @, the domain of the request
)

// Needs holds what must happen before a value that was set takes effect.
type Needs string

// The needs; Nothing for a knob that takes effect at once.
const (
	Nothing      Needs = ""
	Restart      Needs = "restart"       // of the server
	Reboot       Needs = "reboot"        // of the machine, or of the domain
	FreshMount   Needs = "fresh mount"   // a remount succeeds without effect, or is refused
	OpenHeld     Needs = "held open"     // it acts only as long as its file is open: during a command
	CannotBeSet  Needs = "cannot be set" // it is read-only
	Remount      Needs = "remount"       // a remount is enough
	NewAllocated Needs = "new memory"    // it acts on memory allocated afterwards
)

// Kind is the type of a value.
type Kind string

// The kinds.
const (
	Integer Kind = "integer"  // within Min and Max, in Unit; or one of Words
	Number  Kind = "number"   // the same, with decimals
	Boolean Kind = "boolean"  // the first of Words, or the second: "on", "off"; also accepts true, yes, 1 and their opposites
	Word    Kind = "word"     // one of Words
	CPUList Kind = "cpu list" // "0-3,8", as the kernel writes it; also of memory nodes
	Pins    Kind = "pins"     // a CPU list for each number: "0=8,1=9-10"
	Options Kind = "options"  // of a mount: "noatime,commit=30"; their order is irrelevant
	Text    Kind = "text"     // on one line, in the form of Pattern; the number of blanks is irrelevant
)

// Knob is a tunable setting.
type Knob struct {
	Name  string `yaml:"name"` // as in its documentation: vm.dirty_ratio, read_ahead_kb, bgwriter_delay
	Layer Layer  `yaml:"-"`    // that of its file
	// Engine is the database of a knob of layer Server, which determines the spelling of
	// its units: "postgres", "redis".
	Engine string `yaml:"-"`
	Scope  Scope  `yaml:"scope"`

	// File is the kernel's file, with {device}, {cpu}, {node} or {irq} as the placeholder of
	// the object: /sys/block/{device}/queue/scheduler. Empty if it is not a file.
	File string `yaml:"file"`
	// Bracketed files list all words, the chosen one in brackets: "always [madvise] never".
	Bracketed bool `yaml:"bracketed"`
	// Binary files hold a 32-bit number in the machine's byte order instead of digits.
	Binary bool `yaml:"binary"`
	// Partial files take effect only as far as the kernel finds contiguous memory at once; writing
	// the value again may find more.
	Partial bool `yaml:"partial"`
	// Choices is the file that lists which of the words this machine supports; "" for none.
	Choices string `yaml:"choices"`

	Kind  Kind     `yaml:"kind"`
	Unit  string   `yaml:"unit"` // of a bare number: "%", "pages", "kB" (1024 bytes), "bytes", "centisecs", "us", "" for a count; PostgreSQL's "8kB"
	Min   *float64 `yaml:"min"`
	Max   *float64 `yaml:"max"`
	Step  float64  `yaml:"step"` // a value must be a multiple of it; 0 for any value
	Words []string `yaml:"words"`
	// Absent are the words that a machine without this feature reports, and that cannot be
	// set: "notsupported".
	Absent  []string `yaml:"absent"`
	Pattern string   `yaml:"pattern"` // of a Text: a regular expression for the whole value; "" for any text
	Example string   `yaml:"example"` // of a Text with a Pattern

	Default string `yaml:"default"` // upstream's; "" if it depends on the machine
	Needs   Needs  `yaml:"needs"`
	Root    bool   `yaml:"root"`
	// Unsafe are the values that weaken durability: a crash or a power failure may then lose
	// or damage acknowledged data. See Weakens.
	Unsafe []string `yaml:"unsafe"`
	// Persistence are values of Redis that determine how much a crash may lose by design,
	// the weakest first; all others are stronger. They are not refused, but marked if they
	// are weaker than the declared ones: see LosesMore.
	Persistence []string `yaml:"persistence"`
	// Versions are the server versions that have the knob: "13-18"; "redis 6.2-8.2, valkey
	// 8.1-9.1". For a kernel, the first version if older ones are still in use: "Linux 5.8".
	// "" for all.
	Versions string `yaml:"versions"`

	Risk string `yaml:"risk"` // what can go wrong, in a few words; "" for nothing noteworthy
	Doc  string `yaml:"doc"`  // what it does, in a sentence; "" for a server's parameter that only its manual describes

	// Coupled are knobs that the kernel changes along with this one: those of the same
	// object, those of the machine or, for a knob of the machine, those of all its NUMA
	// nodes (vm.nr_hugepages is their sum). They are journalled with it, and restored after
	// it, in this order.
	Coupled []string `yaml:"coupled"`
	// Excludes is the knob that is zero whenever this one is not, and vice versa
	// (vm.dirty_bytes, vm.dirty_ratio). Zero is never written to either.
	Excludes string `yaml:"excludes"`

	Source Source `yaml:"-"` // its file refers to it by the short name of a document
}

// Source identifies a document and a section.
type Source struct {
	Author  string `yaml:"author" json:"author,omitempty"`
	Title   string `yaml:"title" json:"title"`
	Section string `yaml:"section" json:"section,omitempty"`
	URL     string `yaml:"url" json:"url,omitempty"`
}

// String returns the source as a citation: Author, Title, Section.
func (s Source) String() string {
	text := s.Title
	if s.Author != "" {
		text = s.Author + ", " + text
	}
	if s.Section != "" {
		text += ", " + s.Section
	}
	return text
}
