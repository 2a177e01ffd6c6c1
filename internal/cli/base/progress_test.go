package base

import (
	"strings"
	"testing"

	"plinth/internal/prose"
	"plinth/internal/runner"
)

// TestMessagesFit checks that a message that is too long is broken between words on a terminal, and only there.
func TestMessagesFit(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("twelve chars ", 7))
	failed := runner.Status{Run: 1, Runs: 2, Environment: "preferred", Problem: long}
	for name, say := range map[string]func(*View){
		long:         func(v *View) { v.Say(long) },
		line(failed): func(v *View) { v.Status(failed) },
		"short  one": func(v *View) { v.print("short  one") },
	} {
		var plain, terminal strings.Builder
		say(&View{out: &plain, Width: 80})
		say(&View{out: &terminal, Width: 80, Terminal: true})
		if plain.String() != name+"\n" && plain.Len() > 0 {
			t.Errorf("elsewhere: %q", plain.String())
		}
		lines := strings.Split(strings.TrimSuffix(terminal.String(), "\n"), "\n")
		for i, line := range lines {
			if prose.Length(line) > 80 || i > 0 && !strings.HasPrefix(line, indent) {
				t.Errorf("%q", line)
			}
		}
		if len(lines) != (prose.Length(name)+79)/80 || prose.Clean(terminal.String()) != prose.Clean(name) {
			t.Errorf("%q became %q", name, lines)
		}
	}
}
