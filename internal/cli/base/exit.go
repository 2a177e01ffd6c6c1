package base

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/runner"
	"plinth/internal/runner/agent"
	"plinth/internal/strictyaml"
)

// The exit codes of plinth.
const (
	ExitDone           = 0
	ExitFailed         = 1
	ExitUsage          = 2
	ExitGate           = 3
	ExitPutBack        = 4
	ExitMachineChanged = 5
	ExitInterrupted    = 130
)

// UsageError is a mistake in plinth's arguments or input.
type UsageError struct{ error }

func (e *UsageError) Unwrap() error { return e.error }

// gateError is a gate (--fail-if) that failed.
type gateError struct{ error }

func (e *gateError) Unwrap() error { return e.error }

// FailedGate returns an error with the exit code of a gate that failed.
func FailedGate(err error) error { return &gateError{err} }

// ThereError is the exit code of a plinth on another machine, which has explained it.
type ThereError struct{ Code int }

func (e *ThereError) Error() string {
	return fmt.Sprintf("plinth ended there with the exit code %d", e.Code)
}

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var (
		there   *ThereError
		usage   *UsageError
		file    *strictyaml.Error
		input   *runner.InputError
		changed *runner.MachineChangedError
		putBack *runner.PutBackError
		gate    *gateError
		command *CommandError
		lost    *agent.LostError
	)
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &putBack):
		return ExitPutBack
	case errors.As(err, &there):
		return there.Code
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &gate):
		return ExitGate
	case errors.As(err, &command):
		return command.Code
	case errors.As(err, &changed):
		return ExitMachineChanged
	case errors.As(err, &lost):
		return ExitFailed
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &input):
		return ExitUsage
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra's own error, which has no type
		return ExitUsage
	default:
		return ExitFailed
	}
}

// Usage returns an error as one in the arguments or the input; nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// FirstUsage returns the first non-nil error as a usage error.
func FirstUsage(all ...error) error {
	for _, err := range all {
		if err != nil {
			return Usage(err)
		}
	}
	return nil
}

// Ended returns why a command ended: cancellation takes precedence over the errors that it
// caused.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Complain prints an error: what, where, and on a separate line what to do. It prints the
// mistakes of a file in the format that editors parse, with the position first on the line.
func Complain(out io.Writer, err error) {
	if left := new(runner.PutBackError); errors.As(err, new(*ThereError)) && errors.As(err, &left) {
		err = left // the rest was said there
	}
	if err == nil || errors.As(err, new(*ThereError)) || errors.Is(err, context.Canceled) && ExitCode(err) == ExitInterrupted {
		return
	}
	var file *strictyaml.Error
	if !errors.As(err, &file) || file.Mistakes[0].Place == "" {
		// A connection string may have been passed as the wrong argument.
		// A server or an agent may have chosen the words.
		fmt.Fprintf(out, "plinth: %s\n", prose.Inert(conninfo.Redact(err.Error())))
		if text := hint.Of(err); text != "" {
			fmt.Fprintf(out, "hint: %s\n", prose.Inert(text))
		}
		return
	}
	for _, m := range file.Mistakes {
		fmt.Fprintln(out, prose.Inert(m.Error()))
		if m.Hint != "" {
			fmt.Fprintf(out, "  hint: %s\n", prose.Inert(m.Hint))
		}
	}
	noun := "mistakes"
	if len(file.Mistakes) == 1 {
		noun = "mistake"
	}
	if file.In != "" {
		fmt.Fprintf(out, "plinth: %d %s in %s\n", len(file.Mistakes), noun, file.In)
		return
	}
	fmt.Fprintf(out, "plinth: %d %s; nothing was started\n", len(file.Mistakes), noun)
}

// ExitHelp lists the exit codes of a command, for its help.
func ExitHelp(codes ...int) string {
	meaning := map[int]string{
		ExitDone: "done", ExitFailed: "failed", ExitUsage: "invalid usage or input",
		ExitGate:           "a check failed",
		ExitPutBack:        "something could not be restored",
		ExitMachineChanged: "the machine changed during the experiment",
		ExitInterrupted:    "interrupted",
	}
	var b strings.Builder
	b.WriteString("\n\nExit codes:\n")
	for _, code := range codes {
		fmt.Fprintf(&b, "  %-4d %s\n", code, meaning[code])
	}
	return strings.TrimRight(b.String(), "\n")
}

// CommandError reports that the command around which a plan was applied failed. plinth exits with
// its code.
type CommandError struct{ Code int }

func (e *CommandError) Error() string {
	return fmt.Sprintf("the command ended with exit code %d", e.Code)
}
