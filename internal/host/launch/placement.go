package launch

// The memory policies of a Placement, as numactl(8) names them.
const (
	Bind        = "bind"
	Interleave  = "interleave"
	Preferred   = "preferred"
	LocalMemory = "local"
)

// Placement is where a program may run, and where its memory comes from. It is set
// before the program begins, and all that it starts inherits it.
type Placement struct {
	CPUs   []int  // sched_setaffinity(2); none for all of plinth's
	Policy string // set_mempolicy(2); "" for plinth's
	Nodes  []int  // NUMA nodes that the policy is about
}
