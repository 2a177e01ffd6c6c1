package host

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/prometheus/procfs"
)

var (
	errGone        = errors.New("the process is gone")
	errNoSchedstat = errors.New("this kernel does not count how long threads run and wait (CONFIG_SCHED_INFO, or the boot option delayacct)")
)

// threadTimes are sums over the threads of a process since it was first read;
// they never go down.
type threadTimes struct {
	threads      int     // at the moment
	cpu, waiting float64 // seconds
}

// threadMeter adds up what the threads of one process do. What a thread did is
// kept when it ends; that is why it must remember.
type threadMeter struct {
	proc     procfs.FS
	pid      int
	started  uint64                       // tells the process from a later one of the same id
	last     map[int]procfs.ProcSchedstat // by thread
	cpu      uint64                       // nanoseconds
	waiting  uint64
	startErr error
}

func newThreadMeter(proc procfs.FS, pid int) *threadMeter {
	m := &threadMeter{proc: proc, pid: pid}
	m.started, m.startErr = m.startTime()
	return m
}

// read reads /proc/PID/task/*/schedstat.
func (m *threadMeter) read() (threadTimes, error) {
	if err := m.same(); err != nil {
		return threadTimes{}, err
	}
	now, err := m.schedstats()
	if err != nil {
		return threadTimes{}, err
	}
	m.add(now)
	return threadTimes{len(now), float64(m.cpu) / 1e9, float64(m.waiting) / 1e9}, nil
}

// same makes sure that the process is still the one that it was at first.
func (m *threadMeter) same() error {
	if m.startErr != nil {
		return m.startErr
	}
	started, err := m.startTime()
	if err == nil && started != m.started {
		return errGone
	}
	return err
}

// startTime is when the process began, in clock ticks after boot.
func (m *threadMeter) startTime() (uint64, error) {
	p, err := m.proc.Proc(m.pid)
	if err != nil {
		return 0, ended(err)
	}
	stat, err := p.Stat()
	return stat.Starttime, ended(err)
}

// ended says in words that a process is not there any more.
func ended(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return errGone
	}
	return err
}

// schedstats reads each thread. One that ends meanwhile is left out; when none
// can be read, the last error says why.
func (m *threadMeter) schedstats() (map[int]procfs.ProcSchedstat, error) {
	threads, err := m.proc.AllThreads(m.pid)
	if err != nil {
		return nil, ended(err)
	}
	now := make(map[int]procfs.ProcSchedstat, len(threads))
	err = errGone
	var slices uint64
	for _, thread := range threads {
		s, failed := thread.Schedstat()
		if failed != nil {
			err = failed
			continue
		}
		now[thread.PID] = s
		slices += s.RunTimeslices
	}
	switch {
	case len(now) == 0:
		return nil, err
	case slices == 0:
		return nil, errNoSchedstat // a process that is there has run
	}
	return now, nil
}

// add adds what happened since the last reading. A thread that was not there
// then, or an id that was given to another thread since, counts from zero.
func (m *threadMeter) add(now map[int]procfs.ProcSchedstat) {
	for tid, s := range now {
		before := m.last[tid]
		if s.RunTimeslices < before.RunTimeslices {
			before = procfs.ProcSchedstat{}
		}
		m.cpu += s.RunningNanoseconds - min(before.RunningNanoseconds, s.RunningNanoseconds)
		m.waiting += s.WaitingNanoseconds - min(before.WaitingNanoseconds, s.WaitingNanoseconds)
	}
	m.last = now
}
