package launch

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place sets where this thread may run and where its memory comes from. execve preserves both,
// and the program's threads inherit them.
func (p *Placement) place() error {
	if p == nil {
		return nil
	}
	if len(p.CPUs) > 0 {
		var set unix.CPUSet
		for _, cpu := range p.CPUs {
			set.Set(cpu) // CPUs from 1024 on are ignored; an empty set is EINVAL
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

// mostNodes limits the numbers of NUMA nodes (MAX_NUMNODES is at most 1024).
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
	most := uintptr(1) // the kernel subtracts 1 from the number of bits
	if len(nodes) > 0 {
		most = mostNodes + 1
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SET_MEMPOLICY, mode, uintptr(unsafe.Pointer(&mask)), most)
	if errno != 0 {
		return errno
	}
	return nil
}
