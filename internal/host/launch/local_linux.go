package launch

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// outputGrace is how long to wait for the end of an ended program's output while another
// process (a child in its own session) holds it open.
const outputGrace = 5 * time.Second

// Local starts programs on this machine, each under its own guard. A guard is another
// instance of plinth, in its own session. It reads a pipe from plinth, and a broken pipe
// means that plinth has ended:
//
//	plinth ── pipe ──> guard ── Pdeathsig ──> program
//
// If either plinth or the guard is killed, even with SIGKILL, the program ends: by the guard
// (stop signal, then SIGKILL after the grace time), or by the kernel, which sends it the stop
// signal when the guard dies. The program has its own process group, which ends with it.
type Local struct{}

// NewLocal returns the launcher of this machine. The program that uses it must call
// GuardMain at the start of main.
func NewLocal() *Local { return &Local{} }

// Start starts c. When it returns without an error, the program has been
// executed. If the program does not exist or is not executable,
// the error is fs.ErrNotExist or fs.ErrPermission.
func (*Local) Start(c Command) (Process, error) {
	o, err := c.order()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", c.Path, err)
	}
	p, err := startGuard(c)
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: cannot start the plinth process that supervises it: %w", c.Path, err)
	}
	if err := p.begin(o); err != nil {
		return nil, c.explain(fmt.Errorf("cannot start %s: %w", c.Path, err))
	}
	go p.watch()
	return p, nil
}

// explain adds a hint to the error of starting c.
func (c Command) explain(err error) error {
	var failed *fs.PathError
	switch {
	case !errors.Is(err, fs.ErrPermission):
		return err
	case errors.As(err, &failed) && failed.Op == joinGroup:
		return hint.Wrap(err, "start plinth as root, or delegate the control group to the user that runs plinth")
	case c.User != nil:
		return hint.Wrap(err, "make it accessible and executable for the user "+c.User.Name)
	}
	return err
}

func (c Command) order() (order, error) {
	switch {
	case !guardReady:
		return order{}, errors.New("the program did not call GuardMain at its start")
	case !filepath.IsAbs(c.Path):
		return order{}, errors.New("its path is not absolute")
	}
	o := order{Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir, User: c.User,
		Pipes: c.Pipes, Stdin: c.Stdin != nil, Groups: c.Groups, Placement: c.Placement, Stop: syscall.SIGTERM, Grace: c.Grace}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = lastOfEach(o.Env)
	if c.User != nil {
		o.Env = lastOfEach(ofUser(o.Env, os.Environ(), *c.User))
	}
	if stop, ok := c.Stop.(syscall.Signal); ok {
		o.Stop = stop
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	return o, nil
}

// startGuard starts a guard, which waits for its order.
func startGuard(c Command) (*process, error) {
	reports, reportsWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reportsWrite.Close()
	g := &exec.Cmd{
		Path: selfPath, Args: []string{guardName},
		Stdout: c.Stdout, Stderr: c.Stderr, WaitDelay: outputGrace,
		ExtraFiles:  []*os.File{reportsWrite},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if c.Stdin != nil {
		g.ExtraFiles = append(g.ExtraFiles, c.Stdin)
	}
	orders, err := g.StdinPipe()
	if err == nil {
		err = g.Start()
	}
	if err != nil {
		_ = reports.Close()
		return nil, err
	}
	return &process{guard: g, orders: gob.NewEncoder(orders), reportsFile: reports,
		reports: gob.NewDecoder(reports), done: make(chan struct{})}, nil
}

// lastOfEach drops the earlier of two variables with the same name, so that
// append(os.Environ(), "NAME=value") overrides NAME: programs differ in which of two they
// use.
func lastOfEach(env []string) []string {
	kept := make([]string, 0, len(env))
	seen := map[string]bool{}
	for _, pair := range slices.Backward(env) {
		name, _, _ := strings.Cut(pair, "=")
		if !seen[name] {
			seen[name] = true
			kept = append(kept, pair)
		}
	}
	slices.Reverse(kept)
	return kept
}
