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

// Names that identify the role of a plinth process: a guard and a launch stage are this same
// program, executed again through /proc/self/exe.
const (
	guardName = "plinth-guard"
	stageName = "plinth-launch"
	selfPath  = "/proc/self/exe"
)

// guardReady is set by GuardMain. Without the check, a program that does not call GuardMain
// would start itself recursively.
var guardReady bool

// GuardMain must be the first call in main and TestMain of a program that starts processes.
// If this process was started as a guard or a launch stage, it runs that and does not return.
func GuardMain() {
	switch os.Args[0] {
	case guardName:
		guardMain()
	case stageName:
		stageMain()
	}
	guardReady = true
}

// guard ends its program when plinth ends. It is the program's parent, so that it can report
// the exit status, and so that the kernel ends the program if the guard itself is killed
// (Pdeathsig).
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
	unix.CloseOnExec(stdinFD) // fails without harm if there is none
	orders := gob.NewDecoder(os.Stdin)
	reports := gob.NewEncoder(os.NewFile(reportFD, "reports"))

	g := &guard{}
	if orders.Decode(&g.order) != nil {
		syscall.Exit(1) // plinth has already ended
	}
	program, failed := launch(g.order)
	if failed != nil {
		_ = reports.Encode(report{Failure: failed})
		syscall.Exit(1)
	}
	g.program = program
	// Errors of reports don't matter: they only occur after plinth has ended.
	_ = reports.Encode(report{PID: program.Pid})
	go g.obey(orders)
	_ = reports.Encode(g.await())
	removePipes(g.order.pipes(program.Pid))
	syscall.Exit(0) // os.Exit would wait a second with the race detector
}

// A guard's own standard input has plinth's orders. Reports have a pipe of their own, and so has
// the program's standard input, if it has one.
const (
	reportFD = 3
	stdinFD  = 4
)

// deafen makes this process survive signals meant for other processes: a terminal's Ctrl-C
// or hang-up. The signals are caught, not ignored, because an ignored signal would stay
// ignored in the program.
func deafen() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGTSTP)
	go func() {
		for range caught {
		}
	}()
}

// obey executes plinth's requests until the pipe breaks, which means that plinth has ended
// and the program must end too.
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

// await waits for the program's end, and ends the remaining processes of its process group
// before its id can be reused.
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
