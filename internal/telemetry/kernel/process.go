package kernel

import (
	"errors"
	"io/fs"
	"path"
	"strconv"

	"plinth/internal/host/proc"
)

// process is a process of an owner.
type process struct {
	pid   int
	owner *owner
	keep  bool // its files are kept open

	stat, schedstat, io, statm file
	tasks                      tasks

	processStat      // at the last reading
	then        uses // at the reading before that
	known       bool // it has been read before
	old         bool // it may have existed before it was first seen
	gone        bool // it did not exist at this reading
	hidden      bool // its I/O counters may not be read
	threaded    bool // it has had several threads
	untimed     bool // the kernel does not count how long it waits for a CPU
	part        part // of a PostgreSQL server
	looks       int  // how often its title was read
	private     uint64
	shared      uint64 // pages
	debts
}

// newProcess returns a process below root; all processes share a read buffer.
func newProcess(root string, pid int, keep bool, buffer []byte) *process {
	dir := path.Join("proc", strconv.Itoa(pid))
	open := func(name string) file {
		f := newFile(root, path.Join(dir, name))
		f.text = buffer
		return f
	}
	return &process{
		pid: pid, keep: keep, stat: open("stat"), schedstat: open("schedstat"), io: open("io"), statm: open("statm"),
		tasks: tasks{root: root, dir: path.Join(dir, "task"), text: buffer},
	}
}

func (p *process) close() {
	p.stat.close()
	p.schedstat.close()
	p.io.close()
	p.statm.close()
	p.tasks.close()
}

// read reads all files of the process. A process whose stat cannot be read is gone, as is
// one whose id was reused.
func (p *process) read() {
	if !p.keep {
		defer p.close()
	}
	text, err := p.stat.readShort()
	var s processStat
	if err == nil {
		s, err = parseProcessStat(text)
	}
	if err != nil || p.known && s.started != p.started {
		p.gone = true
		return
	}
	p.then = p.uses
	s.waited[useRead], s.waited[useWritten] = p.waited[useRead], p.waited[useWritten]
	p.processStat = s
	p.threaded = p.threaded || p.threads > 1
	p.readRunning()
	if p.state == 'Z' { // it does no more I/O, and only root may read its io
		p.private, p.shared = 0, 0
		return
	}
	p.readIO()
	p.readMemory()
}

// readRunning replaces the ticks with nanoseconds from schedstat, which covers one thread
// only. For several threads, stat has the sum of CPU time, and each thread its own run delay.
func (p *process) readRunning() {
	if p.threaded {
		delay, counted := p.tasks.delay(p.threads)
		p.self[useDelay], p.untimed = delay, !counted
		return
	}
	text, err := p.schedstat.readShort()
	s, ok := proc.ParseSchedstat(text)
	if p.untimed = err != nil || !ok || s.Running == 0 && p.self[useCPU] > 0; !p.untimed && s.Running > 0 {
		p.self[useCPU], p.self[useDelay] = s.Running, s.Waiting
	}
}

// readIO reads the I/O counters, which only root and the process's user may read.
func (p *process) readIO() {
	text, err := p.io.readShort()
	var values [2]proc.Value
	if err == nil {
		err = proc.IOFields.Parse(text, values[:])
	}
	p.hidden = errors.Is(err, fs.ErrPermission)
	if err == nil {
		p.waited[useRead], p.waited[useWritten] = values[0].N, values[1].N
	}
}

func (p *process) readMemory() {
	text, err := p.statm.readShort()
	if resident, shared, ok := proc.Statm(text); err == nil && ok {
		p.private, p.shared = resident-shared, shared
	}
}

// processStat holds the fields used from /proc/PID/stat.
type processStat struct {
	state   byte
	parent  int
	threads int
	started uint64 // ticks after boot; distinguishes processes with the same id
	uses           // without bytes
}

func parseProcessStat(text []byte) (processStat, error) {
	p, err := proc.ParseProcess(text)
	return processStat{p.State, p.Parent, p.Threads, p.Started, uses{useOf(p.Self), useOf(p.Waited)}}, err
}

func useOf(p proc.ProcessUse) use {
	return use{useCPU: (p.User + p.System) * tick, useUser: p.User, useSystem: p.System, useMinor: p.Minor, useMajor: p.Major}
}

const tick = 1e9 / proc.Ticks // nanoseconds

// use holds what a process has used.
type use [8]uint64

// Indexes into use.
const (
	useCPU     = iota // nanoseconds
	useUser           // ticks
	useSystem         // ticks
	useMinor          // faults
	useMajor          // faults that waited for a disk
	useRead           // bytes
	useWritten        // bytes
	useDelay          // nanoseconds in run queues; the kernel does not add it to the parent's
)

func (u *use) add(other use) {
	for i, n := range other {
		u[i] += n
	}
}

// since returns the growth since then; a counter that went back slightly has not grown.
func (u use) since(then use) use {
	for i, n := range then {
		u[i] -= min(u[i], n)
	}
	return u
}

// least returns the smaller value of each counter.
func (u use) least(other use) use {
	for i, n := range other {
		u[i] = min(u[i], n)
	}
	return u
}

// uses hold what a process has used since it started.
type uses struct {
	self   use
	waited use // of reaped children; bytes include those of the process itself
}

// debts hold what a process will receive, or has received, from members of the trees that
// exited: the kernel adds what a child used to the parent that reaps it (wait_task_zombie).
// It was already counted for the child, so it must be subtracted when the heir receives it,
// possibly readings later: the heir may have been read before it reaped the child.
type debts struct {
	owed  use // from the reading before
	fresh use // of those that are gone since the last reading
	heirs *owner
}

// inherit records a member that is gone.
func (d *debts) inherit(from *process, by *owner) {
	d.fresh.add(from.self)
	d.fresh.add(from.waited)
	d.fresh.add(from.owed)
	if from.owner != by {
		// Anything beyond the debt then comes from an exited child of the other owner, such
		// as that of the server under its guard.
		d.heirs = from.owner
	}
}

// settle returns how much of what was received is new, and whose it is. A debt not paid by
// the second reading is dropped: nothing reaped the child.
func (d *debts) settle(got use, own *owner) (use, *owner) {
	debt, whose := d.owed, own
	debt.add(d.fresh)
	if d.heirs != nil {
		whose = d.heirs
	}
	paid := debt.least(got)
	left := debt.since(paid)
	d.owed, d.fresh = left.least(d.fresh), use{}
	if d.owed == (use{}) {
		d.heirs = nil
	}
	return got.since(paid), whose
}
