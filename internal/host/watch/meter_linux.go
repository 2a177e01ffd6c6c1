package watch

import (
	"io/fs"
	"os"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// meter reads all counters of a machine and of one process.
type meter struct {
	root      fs.FS
	dir       string // of root
	virtual   bool
	thermal   []string
	throttled throttleMeter
	threads   *threadMeter
	idle      *idleMeter
}

// newMeter looks at the machine whose file system begins at root: "/", or
// captured files.
func newMeter(root string, pid int, idle ...IdleThread) *meter {
	m := &meter{root: os.DirFS(root), dir: root}
	m.virtual = proc.IsVirtual(sysfs.Word(m.root, "proc/cpuinfo"))
	m.thermal = thermalFiles(m.root)
	m.throttled = newThrottleMeter(m.root, pid)
	m.threads = newThreadMeter(root, pid)
	m.idle = newIdleMeter(root, idle)
	return m
}

// read reads each counter once. What can't be read says why, and does not keep
// the others from being read.
func (m *meter) read() (r reading) {
	r.throttled = know(m.throttled.read(m.root))
	r.thermal = know(readThermal(m.root, m.thermal))
	r.swap = know(readSwapped(m.root))
	r.process = know(m.threads.read())
	r.cpu = know(readCPUTimes(m.dir, m.virtual))
	idle := m.idle.read().Seconds() // the time of plinth's idle threads is taken for idle
	r.cpu.figure.user -= idle
	r.cpu.figure.idle += idle
	r.stall = know(readMemoryStall(m.dir))
	return r
}

// close ends the meter: the files of watched threads that it holds open.
func (m *meter) close() {
	m.threads.close()
	m.idle.close()
}
