package launch

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place sets where this thread may run and where its memory comes from. An execve keeps
// both, and the threads that the program makes inherit them.
func (p *Placement) place() error {
	if p == nil {
		return nil
	}
	if len(p.CPUs) > 0 {
		var set unix.CPUSet
		for _, cpu := range p.CPUs {
			set.Set(cpu) // CPUs beyond its 1024 are left out; none at all is EINVAL
		}
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return err
		}
	}
	if p.Policy == "" {
		return nil
	}
	return setMempolicy(p.Policy, p.Nodes)
}

// mostNodes is more NUMA nodes than Linux can have (MAX_NUMNODES is 1024 at most).
const mostNodes = 1024

func setMempolicy(policy string, nodes []int) error {
	mode, known := map[string]uintptr{Bind: unix.MPOL_BIND, Interleave: unix.MPOL_INTERLEAVE,
		Preferred: unix.MPOL_PREFERRED, LocalMemory: unix.MPOL_LOCAL}[policy]
	if !known {
		return syscall.EINVAL
	}
	var mask [mostNodes / 64]uint64
	for _, node := range nodes {
		if node < 0 || node >= mostNodes {
			return syscall.EINVAL
		}
		mask[node/64] |= 1 << (node % 64)
	}
	most := uintptr(1) // the kernel takes the number of bits for one more than it is
	if len(nodes) > 0 {
		most = mostNodes + 1
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SET_MEMPOLICY, mode, uintptr(unsafe.Pointer(&mask)), most)
	if errno != 0 {
		return errno
	}
	return nil
}
