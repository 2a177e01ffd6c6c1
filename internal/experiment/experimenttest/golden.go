package experimenttest

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"plinth/internal/strictyaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Mistakes prints mistakes as the command line does.
func Mistakes(t testing.TB, err error) string {
	t.Helper()
	var e *strictyaml.Error
	if !errors.As(err, &e) {
		t.Fatalf("no *strictyaml.Error: %v", err)
	}
	var b strings.Builder
	for _, m := range e.Mistakes {
		b.WriteString(m.Error() + "\n")
		if m.Hint != "" {
			b.WriteString("  hint: " + m.Hint + "\n")
		}
	}
	return b.String()
}

// CompareGolden compares a text with a golden file, or rewrites the file (-update).
func CompareGolden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Write makes a file.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// FlagsIn returns the --set values of a command line, without the shell's quotes, and that which
// --storage is short for.
func FlagsIn(line string) []string {
	var sets []string
	for _, m := range regexp.MustCompile(`--(set|storage) ((?:'[^']*'|[^\s'`+"`"+`])+)`).FindAllStringSubmatch(line, -1) {
		value := strings.ReplaceAll(m[2], "'", "")
		if m[1] == "storage" {
			value = "storage.data=" + value
		}
		sets = append(sets, value)
	}
	return sets
}
