package kernel

import (
	"errors"
	"io/fs"
	"path"
	"strconv"

	"plinth/internal/host/proc"
)

// process is one process of an owner.
type process struct {
	pid   int
	owner *owner
	keep  bool // its files are held open

	stat, schedstat, io, statm file

	processStat      // when it was last read
	then        uses // at the reading before that
	known       bool // it has been read before
	old         bool // it may have been there before it was first seen
	gone        bool // it was not there this time
	hidden      bool // what it reads and writes may not be looked at
	threaded    bool // it had several threads at some time
	private     uint64
	shared      uint64 // pages
	debts
}

// newProcess is a process below root; all share a buffer for what they read.
func newProcess(root string, pid int, keep bool, buffer []byte) *process {
	dir := path.Join("proc", strconv.Itoa(pid))
	open := func(name string) file {
		f := newFile(root, path.Join(dir, name))
		f.text = buffer
		return f
	}
	return &process{pid: pid, keep: keep, stat: open("stat"), schedstat: open("schedstat"), io: open("io"), statm: open("statm")}
}

func (p *process) close() {
	p.stat.close()
	p.schedstat.close()
	p.io.close()
	p.statm.close()
}

// read reads all of it. A process whose stat cannot be read is gone, as is one
// that another has taken the id of.
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
	if p.state == 'Z' { // it reads no more, and only root may look at its io
		p.private, p.shared = 0, 0
		return
	}
	p.readIO()
	p.readMemory()
}

// readRunning replaces the ticks: schedstat has nanoseconds, but of one thread
// only. Of several, stat has the sum.
func (p *process) readRunning() {
	if p.threaded {
		return
	}
	text, err := p.schedstat.readShort()
	if s, ok := proc.ParseSchedstat(text); err == nil && ok && s.Running > 0 {
		p.self[useCPU] = s.Running
	}
}

// readIO: only root and the user of the process may look.
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

// processStat is what is taken of /proc/PID/stat.
type processStat struct {
	state   byte
	parent  int
	threads int
	started uint64 // ticks after boot; tells processes of one id apart
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

// use is what a process has used.
type use [7]uint64

// What use counts.
const (
	useCPU     = iota // nanoseconds
	useUser           // ticks
	useSystem         // ticks
	useMinor          // faults
	useMajor          // faults that waited for a disk
	useRead           // bytes
	useWritten        // bytes
)

func (u *use) add(other use) {
	for i, n := range other {
		u[i] += n
	}
}

// since is the growth beyond then; what went back a little has not grown.
func (u use) since(then use) use {
	for i, n := range then {
		u[i] -= min(u[i], n)
	}
	return u
}

// least is the smaller of each.
func (u use) least(other use) use {
	for i, n := range other {
		u[i] = min(u[i], n)
	}
	return u
}

// uses are those of a process since it began.
type uses struct {
	self   use
	waited use // of children that ended and were waited for; bytes of the process itself, too
}

// debts are what a process is going to get, or has got, from members of the trees
// that ended: the kernel adds what they used to whoever waits for them
// (wait_task_zombie). It has been counted once, as theirs, so it must be taken from
// what the heir gets, whenever that comes: the heir may have been read before it
// waited.
type debts struct {
	owed  use // from the reading before
	fresh use // of those that are gone since the last reading
	heirs *owner
}

// inherit tells of a member that is gone.
func (d *debts) inherit(from *process, by *owner) {
	d.fresh.add(from.self)
	d.fresh.add(from.waited)
	d.fresh.add(from.owed)
	if from.owner != by {
		// More than the debt is then the end of somebody else's child, such as that
		// of the server under its guard.
		d.heirs = from.owner
	}
}

// settle is how much of what was got is new, and whose it is. A debt that is not
// paid by the second reading never is: nobody waited.
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
