package host

// Core is a physical core: CPUs that share it slow each other down.
type Core struct {
	Node int   // its NUMA node; 0 where the machine has none
	CPUs []int // its logical CPUs, in order: two with SMT
}
