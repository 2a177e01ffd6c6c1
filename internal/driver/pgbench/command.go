package pgbench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/record"
)

// keepCommand writes pgbench's version and its command line, as a shell would
// take it, beside its output. It holds no secret: those are in the environment.
func keepCommand(d record.Driver, dir string) error {
	var words []string
	for _, word := range d.Command {
		words = append(words, quote(word))
	}
	text := fmt.Sprintf("# %s %s\n%s\n", d.Program, d.Version, strings.Join(words, " "))
	if err := os.WriteFile(filepath.Join(dir, "command.txt"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("cannot keep the command line: %w", err)
	}
	return nil
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"

// quote makes s one word of a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
