package kernel

import (
	"path"
	"strconv"

	"plinth/internal/host/proc"
)

// tasks are the threads of a process: the schedstat of a process is that of its first thread
// alone.
type tasks struct {
	root, dir string
	text      []byte // the buffer of all files
	files     []file // the schedstat of each thread, kept open
	changed   bool   // a thread has ended, and another one may have its place
}

// mostTasks is how many threads of a process are read. Databases and load generators have
// fewer.
const mostTasks = 256

// delay returns the time that the threads have waited in run queues, in nanoseconds; false if
// the kernel does not count it, or if there are too many threads. It looks for threads again if they have changed.
func (t *tasks) delay(threads int) (sum uint64, counted bool) {
	if threads > mostTasks {
		return 0, false
	}
	if threads != len(t.files) || t.changed {
		t.find()
	}
	for i := range t.files {
		text, err := t.files[i].readShort()
		t.changed = t.changed || len(text) == 0 // it has ended
		if s, ok := proc.ParseSchedstat(text); err == nil && ok {
			sum += s.Waiting
			counted = counted || s.Running > 0
		}
	}
	return sum, counted
}

// find opens the files of the threads that exist now.
func (t *tasks) find() {
	t.close()
	t.changed = false
	dir := newFile(t.root, t.dir)
	if dir.open() != nil {
		return
	}
	defer dir.close()
	_ = list(dir.fd, make([]byte, 4096), func(name []byte) {
		if id, ok := proc.Number(name); ok && id <= proc.MostID && len(t.files) < mostTasks {
			f := newFile(t.root, path.Join(t.dir, strconv.Itoa(int(id)), "schedstat"))
			f.text = t.text
			t.files = append(t.files, f)
		}
	})
}

func (t *tasks) close() {
	for i := range t.files {
		t.files[i].close()
	}
	t.files = t.files[:0]
}
