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
