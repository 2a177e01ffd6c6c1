// Package knob is the catalog of what can be tuned below and in a database, by layer:
// data, one file a layer. A knob is named as its own documentation spells it; what it
// is worth is not said here but measured.
package knob

// Layer is where a knob is.
type Layer string

// The layers, from the bottom up.
const (
	Hypervisor Layer = "hypervisor" // the domain of a virtual machine, as libvirt describes it
	Kernel     Layer = "kernel"     // /proc/sys, /sys/kernel/mm
	CPU        Layer = "cpu"        // frequency, idle states, SMT
	Placement  Layer = "placement"  // which CPUs and memory nodes a server, and which CPUs an interrupt, may use
	Block      Layer = "block"      // the queue of a disk
	Mount      Layer = "mount"      // options of a mounted filesystem
	Server     Layer = "server"     // PostgreSQL or Redis
)

// Layers are all layers, from the bottom up: the order in which plans name them, and
// in which they are applied.
func Layers() []Layer {
	return []Layer{Hypervisor, Kernel, CPU, Placement, Block, Mount, Server}
}

// Scope is what a knob belongs to, and so what may stand after the @ of a Key.
type Scope string

// The scopes.
const (
	OfHost   Scope = "host"   // the machine: nothing stands after the name
	OfNode   Scope = "node"   // a NUMA node: nr_hugepages@node0
	OfCPU    Scope = "cpu"    // CPUs: scaling_governor for all of them, scaling_governor@8-13 for some
	OfIRQ    Scope = "irq"    // an interrupt: smp_affinity_list@24, or those of a disk: smp_affinity_list@nvme0n1
	OfDevice Scope = "device" // a disk by its name or its role: read_ahead_kb@nvme0n1, read_ahead_kb@data
	OfMount  Scope = "mount"  // a filesystem by its mount point or its role: options@wal
	OfServer Scope = "server" // the server: nothing stands after the name
	OfDomain Scope = "domain" // a domain of libvirt: vcpupin@vm1; the only one that was named, if there is one
)

// Needs is what must happen until a value that was set is in force.
type Needs string

// The needs; Nothing for a knob that acts at once.
const (
	Nothing      Needs = ""
	Restart      Needs = "restart"       // of the server
	Reboot       Needs = "reboot"        // of the machine, or of the domain
	FreshMount   Needs = "fresh mount"   // a remount returns success and changes nothing, or is refused
	OpenHeld     Needs = "held open"     // it acts only as long as its file is open: around a command
	CannotBeSet  Needs = "cannot be set" // it can be read only
	Remount      Needs = "remount"       // a remount is enough
	NewAllocated Needs = "new memory"    // it acts on what is allocated from then on
)

// Kind is what a value is.
type Kind string

// The kinds.
const (
	Integer Kind = "integer"  // within Min and Max, in Unit; or one of Words
	Number  Kind = "number"   // the same, with decimals
	Boolean Kind = "boolean"  // the first of Words, or the second: "on", "off"; written as on, true, yes, 1 and their contraries
	Word    Kind = "word"     // one of Words
	CPUList Kind = "cpu list" // "0-3,8", as the kernel writes it; of memory nodes, too
	Pins    Kind = "pins"     // a CPU list for each number: "0=8,1=9-10"
	Options Kind = "options"  // of a mount: "noatime,commit=30"; their order does not count
	Text    Kind = "text"     // on one line, in the form of Pattern; how many blanks stand in it does not count
)

// Knob is one thing that can be tuned.
type Knob struct {
	Name  string `yaml:"name"` // as its documentation spells it: vm.dirty_ratio, read_ahead_kb, bgwriter_delay
	Layer Layer  `yaml:"-"`    // that of the file it stands in
	// Engine is the database that a knob of layer Server is of, and so how its units are
	// spelled: "postgres", "redis".
	Engine string `yaml:"-"`
	Scope  Scope  `yaml:"scope"`

	// File is where the kernel has it, with {device}, {cpu}, {node} or {irq} for what it
	// belongs to: /sys/block/{device}/queue/scheduler. Empty where it is no file.
	File string `yaml:"file"`
	// Bracketed files list all words, the chosen one in brackets: "always [madvise] never".
	Bracketed bool `yaml:"bracketed"`
	// Binary files hold a number of 32 bits in the machine's own order, not its digits.
	Binary bool `yaml:"binary"`
	// Partial files take as much of a value as the kernel finds at once, and more of it when
	// they are written again: memory in one piece.
	Partial bool `yaml:"partial"`
	// Choices is the file that lists which of the words this machine has, "" where none does.
	Choices string `yaml:"choices"`

	Kind  Kind     `yaml:"kind"`
	Unit  string   `yaml:"unit"` // of a bare number: "%", "pages", "kB" (1024 bytes), "bytes", "centisecs", "us", "" for a count; PostgreSQL's "8kB"
	Min   *float64 `yaml:"min"`
	Max   *float64 `yaml:"max"`
	Step  float64  `yaml:"step"` // what it must be a multiple of; 0 for anything
	Words []string `yaml:"words"`
	// Absent are the words that are read where a machine has no such thing, and that
	// cannot be set: "notsupported".
	Absent  []string `yaml:"absent"`
	Pattern string   `yaml:"pattern"` // of a Text: a regular expression for all of it; "" for anything
	Example string   `yaml:"example"` // of a Text with a Pattern

	Default string `yaml:"default"` // upstream's; "" where it depends on the machine
	Needs   Needs  `yaml:"needs"`
	Root    bool   `yaml:"root"`
	// Unsafe are the values that weaken durability: a crash, or a power cut, may then lose
	// or damage what was acknowledged. See Weakens.
	Unsafe []string `yaml:"unsafe"`
	// Persistence are values of Redis that say how much a crash may lose, by design, the
	// weakest first; all others are stronger. They are not refused but marked where they
	// are weaker than what was declared: see LosesMore.
	Persistence []string `yaml:"persistence"`
	// Versions of the servers that have it: "13-18"; "redis 6.2-8.2, valkey 8.1-9.1". Of a
	// kernel, what is not in all of those in use: "Linux 5.8". "" for all.
	Versions string `yaml:"versions"`

	Risk string `yaml:"risk"` // what can go wrong, in a few words; "" for nothing worth it
	Doc  string `yaml:"doc"`  // what it does, in a sentence; "" of a server's for which only its own manual has one

	// Coupled are knobs that the kernel changes along with this one: of what stands after
	// its @, of the machine, or, of a knob of the machine, those of all its NUMA nodes
	// (vm.nr_hugepages is the sum of them). They are journalled with it, and put back
	// after it, in this order.
	Coupled []string `yaml:"coupled"`
	// Excludes is the knob that is zero whenever this one is not, and the reverse
	// (vm.dirty_bytes, vm.dirty_ratio). Zero is then never written.
	Excludes string `yaml:"excludes"`

	Source Source `yaml:"-"` // its file has it by the short name of a document
}

// Source is where something is documented.
type Source struct {
	Author  string `yaml:"author" json:"author,omitempty"`
	Title   string `yaml:"title" json:"title"`
	Section string `yaml:"section" json:"section,omitempty"`
	URL     string `yaml:"url" json:"url,omitempty"`
}

// String is a source as it is cited: "Author, "Title", section".
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
