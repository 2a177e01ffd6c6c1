package perf

import "golang.org/x/sys/unix"

// allProcesses stands for a process id.
const allProcesses = -1

// live is this machine's kernel. It counts all processes: for a control group, the kernel would
// program the counters at each switch between one of its tasks and another one.
type live struct{}

func openKernel() (kernel, error) { return live{}, nil }

func (live) open(e Event, cpu, leader int) (int, error) {
	attr := unix.PerfEventAttr{
		Type: e.kind, Config: e.config,
		Size:        unix.PERF_ATTR_SIZE_VER1, // all fields that are set; known to each kernel since 2.6.33
		Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	if leader < 0 {
		attr.Bits = unix.PerfBitDisabled // until the group is complete
	}
	return unix.PerfEventOpen(&attr, allProcesses, cpu, leader, unix.PERF_FLAG_FD_CLOEXEC)
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
