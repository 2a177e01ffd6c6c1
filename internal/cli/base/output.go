package base

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Width returns the width of the terminal at standard output, in columns; 80 without a terminal.
func (a *App) Width() int {
	if file := a.Terminal(); file != nil {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return 80
}

// Colour reports whether output may be coloured: on a capable terminal, unless the user opted out
// (https://no-color.org).
func (a *App) Colour() bool {
	return a.Terminal() != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Terminal returns standard output if it is a terminal; otherwise nil.
func (a *App) Terminal() *os.File {
	if p, ok := a.Stdout.(*Printer); ok {
		if file, ok := p.Writer.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return file
		}
	}
	return nil
}

// Printer remembers the first error of writing, so that no command succeeds with half of its output.
type Printer struct {
	io.Writer
	Err error
}

func (p *Printer) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if p.Err == nil {
		p.Err = err
	}
	return n, err
}

// WriteJSON prints a value as JSON.
func (a *App) WriteJSON(v any) error {
	encoder := json.NewEncoder(a.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// Things returns a number with its noun.
func Things(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
