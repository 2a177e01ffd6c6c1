package launch

// The memory policies of a Placement, as numactl(8) names them.
const (
	Bind        = "bind"
	Interleave  = "interleave"
	Preferred   = "preferred"
	LocalMemory = "local"
)

// Placement says where a program may run and where its memory comes from. It is set before the
// program starts, and its children inherit it.
type Placement struct {
	CPUs   []int  // sched_setaffinity(2); empty for plinth's
	Policy string // set_mempolicy(2); "" for plinth's
	Nodes  []int  // NUMA nodes of the policy
}
