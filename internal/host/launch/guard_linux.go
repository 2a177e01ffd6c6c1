package launch

import (
	"encoding/gob"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What a process of plinth is, is told by its name: a guard and a launch stage
// are this same program, run again through /proc/self/exe.
const (
	guardName = "plinth-guard"
	stageName = "plinth-launch"
	selfPath  = "/proc/self/exe"
)

// guardReady is set by GuardMain. Without it a program that started a guard
// would run itself again and again.
var guardReady bool

// GuardMain must be the first call in main and in TestMain of a program that
// starts processes: it turns this process into a guard or a launch stage, and
// then never returns, when that is what it was started as.
func GuardMain() {
	switch os.Args[0] {
	case guardName:
		guardMain()
	case stageName:
		stageMain()
	}
	guardReady = true
}

// guard ends its program when plinth is gone. It is the program's parent, so
// that it may tell how it ended, and so that the kernel ends the program when
// the guard itself is killed (Pdeathsig).
type guard struct {
	program *os.Process
	order   order
}

func guardMain() {
	// Pdeathsig watches the thread that started the program, not the process
	// (golang/go#27505): this thread must live as long as the guard.
	runtime.LockOSThread()
	deafen()
	unix.CloseOnExec(reportFD)
	orders := gob.NewDecoder(os.Stdin)
	reports := gob.NewEncoder(os.NewFile(reportFD, "reports"))

	g := &guard{}
	if orders.Decode(&g.order) != nil {
		syscall.Exit(1) // plinth is gone already
	}
	program, failed := launch(g.order)
	if failed != nil {
		_ = reports.Encode(report{Failure: failed})
		syscall.Exit(1)
	}
	g.program = program
	// Errors of reports don't matter: when plinth is gone there is nobody to tell.
	_ = reports.Encode(report{PID: program.Pid})
	go g.obey(orders)
	_ = reports.Encode(g.await())
	removePipes(g.order.pipes(program.Pid))
	syscall.Exit(0) // os.Exit would wait a second with the race detector
}

// reportFD is where a guard finds the pipe for its reports.
const reportFD = 3

// deafen makes this process survive what is meant for others: a terminal's
// Ctrl-C, a hang-up. The signals are caught, not ignored, because an ignored
// signal would stay ignored in the program.
func deafen() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGTSTP)
	go func() {
		for range caught {
		}
	}()
}

// obey does what plinth asks until the pipe breaks, which means that plinth is
// gone and the program has to go too.
func (g *guard) obey(orders *gob.Decoder) {
	for {
		var r request
		if orders.Decode(&r) != nil || r.Stop {
			g.end()
			return
		}
		_ = g.program.Signal(r.Signal) // it may have ended in the meantime
	}
}

func (g *guard) end() {
	_ = g.program.Signal(g.order.Stop)
	time.AfterFunc(g.order.Grace, func() { _ = g.program.Kill() })
}

// await waits for the program's end, and ends what it may have left behind in
// its process group. That happens before its id is given free for reuse.
func (g *guard) await() report {
	pid := g.program.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), syscall.EINTR) {
	}
	_ = unix.Kill(-pid, unix.SIGKILL)
	state, err := g.program.Wait()
	if err != nil {
		return report{PID: pid, Code: -1}
	}
	end := report{PID: pid, Code: state.ExitCode()}
	if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
		end.Signal = status.Signal()
	}
	return end
}
