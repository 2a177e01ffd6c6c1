package machines

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cli/elsewhere"
	"plinth/internal/hint"
	"plinth/internal/prose"
)

// onMachine lets a command and its subcommands run on another machine, with the flag --on. Paths and
// names in their arguments are those of that machine; files that they write to the current directory
// are written here.
func (a *app) onMachine(cmd *cobra.Command) *cobra.Command {
	var machine elsewhere.MachineFlags
	machine.Register(cmd.PersistentFlags(), "run the command on `ssh://HOST`: files and localhost are those of HOST")
	for _, c := range append(cmd.Commands(), cmd) {
		if c.RunE == nil {
			continue
		}
		here := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if err := machine.Check(cmd.Flags()); err != nil {
				return base.Usage(err)
			}
			if machine.On == "" {
				return here(cmd, args)
			}
			if flag, is := cmd.Annotations[base.WritesDirectory]; is && (flag == "" || cmd.Flags().Changed(flag)) {
				return base.Usage(hint.Errorf("start plinth on that machine", "--on: %s writes a directory, and only single files are sent back", cmd.CommandPath()))
			}
			return a.runThere(cmd.Context(), machine)
		}
	}
	return cmd
}

// runThere runs the command line on another machine, without --on.
func (a *app) runThere(ctx context.Context, on elsewhere.MachineFlags) error {
	at, err := on.At()
	if err != nil {
		return err
	}
	w := &elsewhere.Machines{Version: a.Version, Agents: on.Agents, Say: a.View(false).Say}
	defer w.Close()
	client, _, err := w.Enter(ctx, at)
	if err != nil {
		return err
	}
	text := "the command on " + on.On + " is interrupted"
	a.OnStop(text)
	// A second Ctrl-C ends the wait for what the interrupted command prints.
	waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	go func() {
		select {
		case <-a.Hurry:
			giveUp()
		case <-waiting.Done():
		}
	}()
	stdout, stderr := a.Stdout, a.Stderr
	if a.Terminal() != nil {
		stdout = &inert{out: stdout}
	}
	if a.View(false).Terminal {
		stderr = &inert{out: stderr}
	}
	code, err := client.Command(waiting, ctx.Done(), withoutMachine(a.Args), stdout, stderr)
	if err == nil && code != base.ExitDone {
		err = &base.ThereError{Code: code}
	}
	return err
}

// inert passes what another machine prints on to a terminal, with control characters made visible.
// The end of a character may come with the next part.
type inert struct {
	out  io.Writer
	rest []byte
}

func (w *inert) Write(part []byte) (int, error) {
	text := append(w.rest, part...)
	whole := len(text)
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			whole = i
			break
		}
	}
	w.rest = bytes.Clone(text[whole:])
	_, err := io.WriteString(w.out, prose.Inert(string(text[:whole])))
	return len(part), err
}

// withoutMachine returns arguments without the flags of another machine and their values.
func withoutMachine(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case i >= end || !slices.Contains([]string{"--on", "--become", "--agents"}, name):
			kept = append(kept, args[i])
		case !joined:
			i++
		}
	}
	return kept
}
