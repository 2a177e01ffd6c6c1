package cli

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
	exitDone           = 0
	exitFailed         = 1
	exitUsage          = 2
	exitGate           = 3
	exitPutBack        = 4
	exitMachineChanged = 5
	exitInterrupted    = 130
)

// usageError is a mistake in plinth's arguments or input.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// gateError is a gate (--fail-if) that failed.
type gateError struct{ error }

func (e *gateError) Unwrap() error { return e.error }

// failedGate returns an error with the exit code of a gate that failed.
func failedGate(err error) error { return &gateError{err} }

// thereError is the exit code of a plinth on another machine, which has explained it.
type thereError struct{ code int }

func (e *thereError) Error() string {
	return fmt.Sprintf("plinth ended there with the exit code %d", e.code)
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var (
		there   *thereError
		usage   *usageError
		file    *strictyaml.Error
		input   *runner.InputError
		changed *runner.MachineChangedError
		putBack *runner.PutBackError
		gate    *gateError
		command *commandError
		lost    *agent.LostError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &putBack):
		return exitPutBack
	case errors.As(err, &there):
		return there.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &gate):
		return exitGate
	case errors.As(err, &command):
		return command.code
	case errors.As(err, &changed):
		return exitMachineChanged
	case errors.As(err, &lost):
		return exitFailed
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &input):
		return exitUsage
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra's own error, which has no type
		return exitUsage
	default:
		return exitFailed
	}
}

// usage returns an error as one in the arguments or the input; nil for nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// firstUsage returns the first non-nil error as a usage error.
func firstUsage(all ...error) error {
	for _, err := range all {
		if err != nil {
			return usage(err)
		}
	}
	return nil
}

// ended returns why a command ended: cancellation takes precedence over the errors that it
// caused.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// complain prints an error: what, where, and on a separate line what to do. It prints the
// mistakes of a file in the format that editors parse, with the position first on the line.
func complain(out io.Writer, err error) {
	if left := new(runner.PutBackError); errors.As(err, new(*thereError)) && errors.As(err, &left) {
		err = left // the rest was said there
	}
	if err == nil || errors.As(err, new(*thereError)) || errors.Is(err, context.Canceled) && exitCode(err) == exitInterrupted {
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

// exitHelp lists the exit codes of a command, for its help.
func exitHelp(codes ...int) string {
	meaning := map[int]string{
		exitDone: "done", exitFailed: "failed", exitUsage: "invalid usage or input",
		exitGate:           "a check failed",
		exitPutBack:        "something could not be restored",
		exitMachineChanged: "the machine changed during the experiment",
		exitInterrupted:    "interrupted",
	}
	var b strings.Builder
	b.WriteString("\n\nExit codes:\n")
	for _, code := range codes {
		fmt.Fprintf(&b, "  %-4d %s\n", code, meaning[code])
	}
	return strings.TrimRight(b.String(), "\n")
}

// commandError reports that the command around which a plan was applied failed. plinth exits with
// its code.
type commandError struct{ code int }

func (e *commandError) Error() string {
	return fmt.Sprintf("the command ended with exit code %d", e.code)
}
