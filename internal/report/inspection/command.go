package inspection

import (
	"slices"
	"strings"

	"plinth/internal/prose"
)

// commandWords holds the beginnings of commands in the advice of findings; the rest is prose.
// SQL is recognised by its capitals.
var commandWords = []string{
	"blockdev ", "cat /", "cpupower ", "dmesg ", "echo ", "initdb ", "kubectl ", "mdadm ", "mount -o ", "numactl ", "pg_checksums ",
	"plinth aa", "plinth inspect", "swapoff ", "sysctl ", "vacuumdb ",
}

var statementWords = []string{"ALTER ", "CONFIG REWRITE", "CONFIG SET ", "ROLLBACK ", "SELECT "}

// withCommands returns advice as Markdown, with commands as code, to be copied verbatim.
func withCommands(text string) string {
	var b strings.Builder
	for text = prose.Clean(text); text != ""; {
		part, separator := text, ""
		for _, s := range []string{"; ", ": "} {
			if before, _, found := strings.Cut(part, s); found {
				part, separator = before, s
			}
		}
		text = text[len(part)+len(separator):]
		command := part[:commandIn(part)]
		if command != "" {
			b.WriteString("`" + command + "`")
		}
		rest := part[len(command):]
		blank := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
		b.WriteString(blank + prose.EscapeMarkdown(rest) + separator)
	}
	return b.String()
}

// commandIn returns how many bytes of text are a command, 0 for prose. A shell command ends
// where prose goes on. Text with a backtick cannot be a code span.
func commandIn(text string) int {
	begins := func(word string) bool { return strings.HasPrefix(text, word) }
	switch {
	case strings.Contains(text, "`"):
		return 0
	case slices.ContainsFunc(statementWords, begins):
		return len(text)
	case !slices.ContainsFunc(commandWords, begins):
		return 0
	}
	length := len(text)
	for _, end := range []string{", ", " ("} {
		if at := strings.Index(text, end); at >= 0 {
			length = min(length, at)
		}
	}
	return length
}
