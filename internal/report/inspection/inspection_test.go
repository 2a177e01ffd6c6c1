package inspection_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/inspect"
	"plinth/internal/report/inspection"
	"plinth/internal/report/reporttest"
)

// troubledMachine returns a machine and a server with many problems, and with control sequences
// in their texts.
func troubledMachine(t *testing.T) inspect.Inspection {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inspect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var i inspect.Inspection
	if err := json.Unmarshal(text, &i); err != nil {
		t.Fatal(err)
	}
	return i
}

func writeInspection(t *testing.T, i inspect.Inspection, format string, opts inspection.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := inspection.Write(&b, i, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInspection(t *testing.T) {
	i := troubledMachine(t)
	reporttest.Golden(t, filepath.Join("testdata", "inspect.txt"), writeInspection(t, i, "text", inspection.Options{}))
	reporttest.Golden(t, filepath.Join("testdata", "inspect.md"), writeInspection(t, i, "markdown", inspection.Options{}))
	for _, format := range []string{"text", "markdown"} {
		for _, r := range writeInspection(t, i, format, inspection.Options{}) {
			if r < ' ' && r != '\n' {
				t.Fatalf("%s has the control character %q", format, r)
			}
		}
	}
}

// TestInspectionFits checks that no line is wider than the terminal, except for unbreakable
// words.
func TestInspectionFits(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		for line := range strings.Lines(writeInspection(t, troubledMachine(t), "text", inspection.Options{Width: width})) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("at %d columns a line has %d: %s", width, n, line)
			}
		}
	}
}

// TestInspectionColour checks that colour is added only to severities, whose words are always
// there.
func TestInspectionColour(t *testing.T) {
	i := troubledMachine(t)
	plain := writeInspection(t, i, "text", inspection.Options{})
	coloured := writeInspection(t, i, "text", inspection.Options{Colour: true})
	if !strings.Contains(coloured, "\x1b[1;31mcritical\x1b[0m  md0 is missing") {
		t.Error("critical is not red")
	}
	if again := strings.NewReplacer("\x1b[1;31m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(coloured); again != plain {
		t.Errorf("colour changes the text:\n%s", again)
	}
}

// TestInspectionJSON checks that the output can be read again and is the same.
func TestInspectionJSON(t *testing.T) {
	i := troubledMachine(t)
	text := writeInspection(t, i, "json", inspection.Options{})
	var again inspect.Inspection
	if err := json.Unmarshal([]byte(text), &again); err != nil {
		t.Fatal(err)
	}
	if writeInspection(t, again, "json", inspection.Options{}) != text || again.Schema != inspect.Schema {
		t.Error("it is not read as it was written")
	}
}

// TestInspectionOfLittle inspects a machine on which nothing can be read, and a server
// elsewhere.
func TestInspectionOfLittle(t *testing.T) {
	text := writeInspection(t, inspect.Inspection{}, "text", inspection.Options{})
	if !strings.Contains(text, "Nothing found") {
		t.Errorf("it says\n%s", text)
	}
	i := troubledMachine(t)
	i.Here, i.Machine.Places = false, nil
	if text := writeInspection(t, i, "text", inspection.Options{Width: 200}); !strings.Contains(text, "Run plinth inspect there.") {
		t.Errorf("it says nothing of the server's machine:\n%s", text)
	}
	if err := inspection.Write(&bytes.Buffer{}, i, "csv", inspection.Options{}); err == nil || !strings.Contains(err.Error(), `no format "csv"`) {
		t.Errorf("csv: %v", err)
	}
}
