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

// newMeter returns a meter of the machine whose file system is below root: "/", or captured
// files.
func newMeter(root string, pid int, idle ...IdleThread) *meter {
	m := &meter{root: os.DirFS(root), dir: root}
	m.virtual = proc.IsVirtual(sysfs.Word(m.root, "proc/cpuinfo"))
	m.thermal = thermalFiles(m.root)
	m.throttled = newThrottleMeter(m.root, pid)
	m.threads = newThreadMeter(root, pid)
	m.idle = newIdleMeter(root, idle)
	return m
}

// read reads each counter once. A counter that cannot be read has an error and does not
// affect the others.
func (m *meter) read() (r reading) {
	r.throttled = know(m.throttled.read(m.root))
	r.thermal = know(readThermal(m.root, m.thermal))
	r.swap = know(readSwapped(m.root))
	r.process = know(m.threads.read())
	r.cpu = know(readCPUTimes(m.dir, m.virtual))
	idle := m.idle.read().Seconds() // counted as idle below
	r.cpu.figure.user -= idle
	r.cpu.figure.idle += idle
	r.stall = know(readMemoryStall(m.dir))
	return r
}

// close closes the files of watched threads.
func (m *meter) close() {
	m.threads.close()
	m.idle.close()
}
