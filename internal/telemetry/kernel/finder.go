package kernel

import (
	"path"
	"strconv"

	"plinth/internal/host/proc"
)

// finder finds new processes, by a look at /proc. (What is below
// /proc/PID/task/*/children would be read for each thread of each process, is not
// in every kernel, and leaves children out when others end, proc_tid_children(5).
// To list all of /proc takes 0.6 us a process, and is needed only when something
// has begun.)
type finder struct {
	root      string
	proc      file // the directory
	entries   []byte
	forks     uint64      // processes and threads that had begun at the last look
	looked    bool        // there was one
	looks     int         // how many
	strangers map[int]int // processes of nobody, and up to which look they are taken for it
	news      []newcomer  // of this look
}

// newcomer is a process that is not known.
type newcomer struct{ pid, parent int }

// strangerFor is after how many looks one is looked at again, because another may
// have got its id.
const strangerFor = 64

func newFinder(root string) finder {
	return finder{root: root, proc: newFile(root, "proc"), entries: make([]byte, 32<<10), strangers: map[int]int{}}
}

func (f *finder) close() { f.proc.close() }

// look lists processes that are neither members nor strangers.
func (f *finder) look(members map[int]*process) error {
	if err := f.proc.open(); err != nil {
		return err
	}
	f.looks++
	f.news = f.news[:0]
	all := 0
	err := list(f.proc.fd, f.entries, func(name []byte) {
		pid, ok := proc.Number(name)
		if !ok || pid > proc.MostID {
			return
		}
		all++
		if members[int(pid)] == nil && f.strangers[int(pid)] < f.looks {
			f.news = append(f.news, newcomer{pid: int(pid)})
		}
	})
	if err != nil {
		return f.proc.failed("list", err)
	}
	if len(f.strangers) > 2*all {
		clear(f.strangers) // most of them have ended
	}
	f.readParents()
	return nil
}

// readParents tells the parents of the newcomers. One that has ended since then
// has none, and is a stranger.
func (f *finder) readParents() {
	for i := range f.news {
		stat := newFile(f.root, path.Join("proc", strconv.Itoa(f.news[i].pid), "stat"))
		if text, err := stat.readShort(); err == nil {
			if s, err := parseProcessStat(text); err == nil {
				f.news[i].parent = s.parent
			}
		}
		stat.close()
	}
}

// estrange takes a newcomer for nobody's for a while. They are not all looked at
// again at once.
func (f *finder) estrange(n newcomer) {
	f.strangers[n.pid] = f.looks + strangerFor/2 + n.pid%strangerFor
}

// find adopts processes that have begun since the last reading.
func (s *processes) find() error {
	changed, owned := false, len(s.members) > 0
	for _, o := range s.owners {
		changed = o.lookup() || changed
		owned = owned || o.root != 0
	}
	if !owned {
		return nil
	}
	f := &s.finder
	forks, known := s.stat.forks()
	if f.looked && known && forks == f.forks && !changed {
		return nil // nothing has begun
	}
	if changed { // a stranger may be one of ours now
		clear(f.strangers)
	}
	if err := f.look(s.byPID); err != nil {
		return err
	}
	f.forks, f.looked = forks, known
	s.adopt()
	if changed {
		s.reassign()
	}
	return nil
}
