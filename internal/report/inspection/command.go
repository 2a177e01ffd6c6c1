package inspection

import (
	"slices"
	"strings"

	"plinth/internal/prose"
)

// commandWords begin commands in what findings say to do; what does not begin so is
// prose. SQL is told by its capitals.
var commandWords = []string{
	"blockdev ", "cat /", "cpupower ", "dmesg ", "echo ", "initdb ", "mdadm ", "mount -o ", "numactl ", "pg_checksums ",
	"plinth aa", "plinth inspect", "swapoff ", "sysctl ", "vacuumdb ",
}

var statementWords = []string{"ALTER ", "CONFIG REWRITE", "CONFIG SET ", "ROLLBACK ", "SELECT "}

// withCommands is advice in Markdown: commands in it are code, to be copied as they
// are, and the rest is prose.
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

// commandIn is how many bytes of text are a command. One of a shell ends where prose
// goes on; one with a backtick in it could not be code.
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
