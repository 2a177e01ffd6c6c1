package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"plinth/internal/prose"
	"plinth/internal/unit"
)

// width returns the width of the terminal at standard output, in columns; 80 without a terminal.
func (a *app) width() int {
	if file, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return 80
}

// colour reports whether output may be coloured: on a capable terminal, unless the user opted out
// (https://no-color.org).
func (a *app) colour() bool {
	file, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// say prints a paragraph, wrapped to the terminal.
func (a *app) say(text string) { fmt.Fprint(a.stdout, prose.Paragraph(text).Text(a.width())) }

func (a *app) writeJSON(v any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func things(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// about formats a duration without false precision.
func about(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

func size(bytes int64) string { return unit.Size(bytes).String() }
