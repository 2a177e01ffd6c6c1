package base

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/runner"
)

// View shows progress on standard error: a live line on a terminal, plain lines elsewhere,
// nothing when quiet.
type View struct {
	out      io.Writer
	quiet    bool
	Terminal bool
	Width    int

	mu    sync.Mutex
	shown bool   // a live line is on the terminal
	last  string // the last step printed as a plain line
}

// View returns the progress on standard error.
func (a *App) View(quiet bool) *View {
	v := &View{out: a.Stderr, quiet: quiet, Width: 80}
	if file, ok := a.Stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		v.Terminal = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
			v.Width = width
		}
	}
	return v
}

// Say prints a permanent message.
func (v *View) Say(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.quiet {
		return
	}
	v.erase()
	v.print(prose.Clean(text))
}

// print prints a message: on a terminal as lines that fit, elsewhere as one line, which is easier to search
// for.
func (v *View) print(text string) {
	if v.Terminal && prose.Length(text) > v.Width {
		text = strings.Join(prose.Wrap(text, v.Width-len(indent)), "\n"+indent)
	}
	fmt.Fprintln(v.out, text)
}

// indent precedes the further lines of a message.
const indent = "  "

// Status replaces the live line; without a terminal it prints a line when a run ends or a step
// begins.
func (v *View) Status(s runner.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.quiet:
	case v.Terminal:
		v.erase()
		if s.Problem != "" {
			v.print(line(s))
			return
		}
		text := line(s)
		if len(text) >= v.Width {
			text = text[:v.Width-1]
		}
		fmt.Fprint(v.out, text)
		v.shown = true
	case s.Ended:
		fmt.Fprintln(v.out, line(s))
	case s.Run == 0 && s.Step+s.Environment != v.last:
		v.last = s.Step + s.Environment
		s.Detail = "" // it changes all the time
		fmt.Fprintln(v.out, line(s))
	}
}

// End removes the live line.
func (v *View) End() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.erase()
}

func (v *View) erase() {
	if v.shown {
		fmt.Fprint(v.out, "\r\x1b[K")
		v.shown = false
	}
}

// line formats a status, the most important facts first.
func line(s runner.Status) string {
	if s.Run == 0 {
		text := strings.TrimSpace(s.Step + " " + s.Environment)
		if s.Detail != "" {
			text += ": " + s.Detail
		}
		return prose.Clean(text) // an agent's words
	}
	parts := []string{fmt.Sprintf("run %*d of %d", len(fmt.Sprint(s.Runs)), s.Run, s.Runs), s.Cell.Path(), s.Environment}
	if s.TPS > 0 {
		parts = append(parts, phrase.Count(s.TPS)+" "+s.Words.Rate)
	}
	if s.Left > 0 {
		parts = append(parts, Left(s.Left))
	}
	if s.Problem != "" {
		parts = append(parts, prose.Clean(s.Problem))
	}
	return strings.Join(parts, "  ")
}

// Left formats the time left without false precision.
func Left(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s left", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min left", int(d.Minutes()))
	default:
		return fmt.Sprintf("%.1f h left", d.Hours())
	}
}
