package perf

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// live is this machine's kernel.
type live struct {
	process int // -1 for all processes, or the descriptor of a control group's directory
	flags   int
}

// openKernel opens the kernel for a control group, or for all processes with "". done releases what
// only opening events needs.
func openKernel(group string) (k kernel, done func(), err error) {
	if group == "" {
		return live{-1, unix.PERF_FLAG_FD_CLOEXEC}, func() {}, nil
	}
	dir, err := os.Open(group)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot count the events of a control group: %w", err)
	}
	return live{int(dir.Fd()), unix.PERF_FLAG_FD_CLOEXEC | unix.PERF_FLAG_PID_CGROUP}, func() { dir.Close() }, nil
}

func (l live) open(e Event, cpu, leader int) (int, error) {
	attr := unix.PerfEventAttr{
		Type: e.kind, Config: e.config,
		Size:        unix.PERF_ATTR_SIZE_VER1, // all fields that are set; known to each kernel since 2.6.33
		Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	if leader < 0 {
		attr.Bits = unix.PerfBitDisabled // until the group is complete
	}
	return unix.PerfEventOpen(&attr, l.process, cpu, leader, l.flags)
}

func (live) start(leader int) error {
	return unix.IoctlSetInt(leader, unix.PERF_EVENT_IOC_ENABLE, 0)
}

func (live) read(leader int, buffer []byte) (int, error) {
	for {
		n, err := unix.Read(leader, buffer)
		if err != unix.EINTR {
			return n, err
		}
	}
}

func (live) close(handle int) { _ = unix.Close(handle) }
