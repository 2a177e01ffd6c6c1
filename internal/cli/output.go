package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// width returns the width of the terminal at standard output, in columns; 80 without a terminal.
func (a *app) width() int {
	if file := a.terminal(); file != nil {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return 80
}

// colour reports whether output may be coloured: on a capable terminal, unless the user opted out
// (https://no-color.org).
func (a *app) colour() bool {
	return a.terminal() != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// terminal returns standard output if it is a terminal; otherwise nil.
func (a *app) terminal() *os.File {
	if p, ok := a.stdout.(*printer); ok {
		if file, ok := p.Writer.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return file
		}
	}
	return nil
}

// printer remembers the first error of writing, so that no command succeeds with half of its output.
type printer struct {
	io.Writer
	err error
}

func (p *printer) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// writeJSON prints a value as JSON.
func (a *app) writeJSON(v any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// things returns a number with its noun.
func things(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
