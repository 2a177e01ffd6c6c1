package watch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

var (
	errGone        = errors.New("the process has ended")
	errNoSchedstat = errors.New("this kernel does not count the run and wait times of threads (CONFIG_SCHED_INFO, or the boot option delayacct)")
)

// threadTimes holds sums over the threads of a process since it was first read. They never
// decrease.
type threadTimes struct {
	threads      int     // current number
	cpu, waiting float64 // seconds
}

// threadMeter adds up the times of the threads of one process, including those that have
// ended.
//
// It holds /proc/PID/task and the schedstat of each thread open. So a later process or
// thread with the same id cannot be mistaken for the watched one, and a reading takes one
// system call per thread. Opening each file for each reading takes six, and made a watch
// three times as expensive.
type threadMeter struct {
	task         *os.File
	err          error // the process could not be opened
	threads      map[string]*thread
	cpu, waiting uint64 // nanoseconds
}

func newThreadMeter(root string, pid int) *threadMeter {
	task, err := os.Open(filepath.Join(root, "proc", strconv.Itoa(pid), "task"))
	if isGone(err) {
		err = errGone
	}
	return &threadMeter{task: task, err: err, threads: map[string]*thread{}}
}

// isGone reports whether err means that a process or thread has ended.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

// read reads /proc/PID/task/*/schedstat. A thread that ends meanwhile is left out. If no
// thread can be read, it returns the last error.
func (m *threadMeter) read() (threadTimes, error) {
	if m.err != nil {
		return threadTimes{}, m.err
	}
	names, err := m.names()
	if err != nil {
		return threadTimes{}, err
	}
	m.forget(names)
	there, slices := 0, uint64(0)
	err = errGone
	for _, name := range names {
		if failed := m.readThread(name); isGone(failed) {
			err = failed
			continue
		} else if failed != nil {
			return threadTimes{}, failed
		}
		there++
		slices += m.threads[name].last.Slices
	}
	switch {
	case there == 0:
		return threadTimes{}, err
	case slices == 0:
		return threadTimes{}, errNoSchedstat // a process that exists has run
	}
	return threadTimes{there, float64(m.cpu) / 1e9, float64(m.waiting) / 1e9}, nil
}

// names returns the ids of the current threads.
func (m *threadMeter) names() ([]string, error) {
	_, err := m.task.Seek(0, io.SeekStart)
	var names []string
	if err == nil {
		names, err = m.task.Readdirnames(-1)
	}
	if isGone(err) {
		err = errGone
	}
	return names, err
}

// readThread adds the times of a thread since its last reading. A new thread counts from
// zero.
func (m *threadMeter) readThread(name string) error {
	t := m.threads[name]
	if t == nil {
		var err error
		if t, err = openThread(m.task, name); err != nil {
			return err
		}
		m.threads[name] = t
	}
	now, err := t.read()
	if err != nil {
		return fmt.Errorf("thread %s: %w", name, err)
	}
	// A kernel counter may go back a little; it then adds nothing.
	m.cpu += now.Running - min(now.Running, t.last.Running)
	m.waiting += now.Waiting - min(now.Waiting, t.last.Waiting)
	t.last = now
	return nil
}

// forget closes all threads except these.
func (m *threadMeter) forget(names []string) {
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	for name, t := range m.threads {
		if !there[name] {
			t.close()
			delete(m.threads, name)
		}
	}
}

// close closes all files; nothing can be read afterwards.
func (m *threadMeter) close() {
	m.forget(nil)
	if m.err == nil {
		_ = m.task.Close()
	}
}

// thread is the open schedstat of one thread and its last values.
type thread struct {
	fd   int
	last proc.Schedstat
}

// openThread opens the schedstat of a thread in a /proc/PID/task directory.
func openThread(task *os.File, name string) (*thread, error) {
	name += "/schedstat"
	fd, err := unix.Openat(int(task.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: task.Name() + "/" + name, Err: err}
	}
	return &thread{fd: fd}, nil
}

func (t *thread) close() { _ = unix.Close(t.fd) }

// read reads the file from its beginning. The error is ESRCH if the thread has ended.
func (t *thread) read() (proc.Schedstat, error) {
	var text [80]byte // three numbers of at most 20 digits
	n, err := unix.Pread(t.fd, text[:], 0)
	if err != nil {
		return proc.Schedstat{}, err
	}
	s, ok := proc.ParseSchedstat(text[:n])
	if !ok {
		return s, fmt.Errorf("%q is not a schedstat of three numbers", text[:n])
	}
	return s, nil
}

// idleMeter reads how long idle threads ran.
type idleMeter struct {
	threads []*thread
	ran     time.Duration // at the last reading
}

// newIdleMeter opens the schedstat of the threads. A thread that has ended is left out.
func newIdleMeter(root string, threads []IdleThread) *idleMeter {
	m := &idleMeter{}
	for _, t := range threads {
		task, err := os.Open(filepath.Join(root, "proc", strconv.Itoa(t.Process), "task"))
		if err != nil {
			continue
		}
		if open, err := openThread(task, strconv.Itoa(t.Thread)); err == nil {
			m.threads = append(m.threads, open)
		}
		_ = task.Close()
	}
	return m
}

// read returns the total time that the threads ran.
func (m *idleMeter) read() time.Duration {
	ran := time.Duration(0)
	for _, t := range m.threads {
		if now, err := t.read(); err == nil {
			ran += time.Duration(now.Running)
		}
	}
	m.ran = max(m.ran, ran) // the time of an ended thread is no longer readable
	return m.ran
}

func (m *idleMeter) close() {
	for _, t := range m.threads {
		t.close()
	}
}
