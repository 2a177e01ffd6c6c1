//go:build linux

package launch

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
)

// helpers are the programs that this test binary can run as.
var helpers = map[string]func(){
	"stubborn": stubborn,
	"willing":  willing,
	"plinth":   plinth,
}

// stubborn ignores all signals that it can, reports ready, and waits.
func stubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	fmt.Println("ready")
	select {}
}

// willing reports ready and waits; any signal ends it.
func willing() {
	signal.Reset()
	fmt.Println("ready")
	select {}
}

// plinth starts a helper, or the server of POSTGRES, prints its process id and waits to be
// killed.
func plinth() {
	p, err := NewLocal().Start(program())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("pid", p.PID())
	select {}
}

// program is started by the helper plinth. It inherits nothing that would make it a plinth
// again.
func program() Command {
	if bin := os.Getenv("POSTGRES"); bin != "" {
		user, _ := ServerUser()
		c := postgres(bin, os.Getenv("DATA"), user)
		c.Stdout = os.Stdout
		return c
	}
	grace, _ := time.ParseDuration(os.Getenv("GRACE"))
	exe, _ := os.Executable()
	return Command{
		Path: exe, Env: []string{"PLINTH_TEST_HELPER=" + os.Getenv("PROGRAM"), "PLINTH_TEST_MARK=" + os.Getenv("PLINTH_TEST_MARK")},
		Stop: syscall.SIGQUIT, Grace: grace, Stdout: os.Stdout,
	}
}

// lineSignal is a writer that signals its first complete line.
type lineSignal struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan struct{}
	once sync.Once
}

func (l *lineSignal) init() *lineSignal { l.line = make(chan struct{}); return l }

func (l *lineSignal) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if bytes.IndexByte(p, '\n') >= 0 {
		l.once.Do(func() { close(l.line) })
	}
	return len(p), nil
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// stateOf returns the state letter of a process; "" if there is none.
func stateOf(pid int) string {
	s, err := host.ReadProcess(pid)
	if err != nil {
		return ""
	}
	return string(s.State)
}

// alive is false for a process that has ended, even if its parent has not waited.
func alive(pid int) bool {
	state := stateOf(pid)
	return state != "" && state != "Z" && state != "X"
}

// waitFor polls a condition that sends no event. The limit only ends a hang.
func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !cond(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// otherUser returns a user as whom root can start programs.
func otherUser(t testing.TB) *User {
	t.Helper()
	hosttest.NeedRoot(t)
	user, err := ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}
