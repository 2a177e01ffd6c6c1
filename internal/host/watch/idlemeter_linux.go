package watch

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// idleMeter reads how long idle threads ran.
type idleMeter struct {
	threads []*thread
	ran     time.Duration // at the last reading
}

// newIdleMeter opens what tells of the threads. One that is gone keeps no CPU awake any
// more, and is left out.
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

// read is how long they ran, all together.
func (m *idleMeter) read() time.Duration {
	ran := time.Duration(0)
	for _, t := range m.threads {
		if now, err := t.read(); err == nil {
			ran += time.Duration(now.Running)
		}
	}
	m.ran = max(m.ran, ran) // a thread that is gone tells nothing any more
	return m.ran
}

func (m *idleMeter) close() {
	for _, t := range m.threads {
		t.close()
	}
}
