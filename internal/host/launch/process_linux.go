package launch

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a program under a guard, seen from plinth.
type process struct {
	guard       *exec.Cmd
	reportsFile *os.File
	reports     *gob.Decoder
	order       order
	pid         int
	pidfd       int // of the program, used if its guard dies; -1 when it has ended
	pidfdErr    error

	mu     sync.Mutex // guards what follows
	orders *gob.Encoder
	ended  bool
	keep   []*os.File // our writing ends of the opened pipes

	// Set before done is closed.
	status ExitStatus
	err    error // about the guard or the output
	stuck  error // the program could not be ended
	done   chan struct{}
}

// begin gives the guard its order and waits until the program runs.
func (p *process) begin(o order) error {
	p.order = o
	_ = p.orders.Encode(o) // a guard that can't read it can't report either
	var first report
	err := p.reports.Decode(&first)
	if err == nil && first.Failure == nil {
		p.pid = first.PID
		p.pidfd, p.pidfdErr = openPIDFD(first.PID, p.guard.Process.Pid)
		return nil
	}
	_ = p.guard.Wait()
	_ = p.reportsFile.Close()
	if err != nil {
		return errors.New("the plinth process that would supervise it exited immediately")
	}
	if first.Failure.Op == "exec" {
		return first.Failure.Errno // Start adds the path
	}
	return first.Failure.err()
}

// watch waits for the end of the program and of its output.
func (p *process) watch() {
	var end report
	if err := p.reports.Decode(&end); err == nil {
		p.status = ExitStatus{Code: end.Code}
		if end.Signal != 0 {
			p.status = ExitStatus{Code: -1, Signal: end.Signal}
		}
	} else {
		p.status = ExitStatus{Code: -1}
		p.err = fmt.Errorf("the plinth process that supervised %s was killed", p.order.Path)
		p.stuck = p.takeOver()
	}
	p.closePipes()
	if err := p.guard.Wait(); err != nil && p.err == nil {
		p.err = fmt.Errorf("cannot read all output of %s: %w", p.order.Path, err)
	}
	removePipes(p.order.pipes(p.pid))
	_ = p.reportsFile.Close()
	if p.pidfd >= 0 {
		_ = unix.Close(p.pidfd)
	}
	close(p.done)
}

// closePipes lets the readers of the pipes reach EOF.
func (p *process) closePipes() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, f := range p.keep {
		_ = f.Close()
	}
	p.keep = nil
}

// PID returns the program's process id.
func (p *process) PID() int { return p.pid }

// Signal sends sig to the program through its guard, which alone cannot mistake another process
// for it; os.ErrProcessDone after its end.
func (p *process) Signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("cannot send %v to %s: not a signal of this system", sig, p.order.Path)
	}
	return p.ask(request{Signal: s})
}

func (p *process) ask(r request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	if err := p.orders.Encode(r); err != nil {
		return fmt.Errorf("cannot reach the plinth process that supervises %s: %w", p.order.Path, err)
	}
	return nil
}

// Pipe opens the reading end of pipe i without waiting for the program. It reaches EOF when the
// program has ended, not when the program closes its end. Each pipe can be opened once.
func (p *process) Pipe(i int) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return emptyPipe(), nil
	}
	read, keep, err := openPipe(p.order.pipes(p.pid)[i])
	if errors.Is(err, fs.ErrNotExist) {
		return emptyPipe(), nil // the guard removes it at the end, which it then reports
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open a pipe of %s: %w", p.order.Path, err)
	}
	p.keep = append(p.keep, keep)
	return read, nil
}

// Done is closed when the program has ended and its output has been read.
func (p *process) Done() <-chan struct{} { return p.done }

// Wait waits for Done.
func (p *process) Wait() (ExitStatus, error) {
	<-p.done
	return p.status, p.err
}

// blockedLimit is how long a killed program may take to end. It cannot end while it waits for a disk, and a busy one may take
// minutes.
const blockedLimit = 5 * time.Minute

// Stop ends the program and waits for Done. An error means that it may still run, such as one that waits for a disk which does
// not answer any more; an ended program causes none.
func (p *process) Stop() error {
	_ = p.ask(request{Stop: true}) // a guard that can't be reached is dead, and watch takes over
	limit := time.NewTimer(p.order.Grace + outputGrace + blockedLimit)
	defer limit.Stop()
	select {
	case <-p.done:
		return p.stuck
	case <-limit.C:
		return fmt.Errorf("cannot end %s (process %d): it was killed, but probably waits for a disk that does not answer", p.order.Path, p.pid)
	}
}
