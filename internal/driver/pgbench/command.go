package pgbench

import (
	"fmt"
	"strings"

	"plinth/internal/driver"
	"plinth/internal/record"
)

// keepCommand writes pgbench's version and its command line, as a shell would
// take it, beside its output. It holds no secret: those are in the environment.
func keepCommand(d record.Driver, keep driver.Keeper) error {
	var words []string
	for _, word := range d.Command {
		words = append(words, quote(word))
	}
	text := fmt.Sprintf("# %s %s\n%s\n", d.Program, d.Version, strings.Join(words, " "))
	if _, err := keep.WriteRaw("command.txt", text); err != nil {
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
