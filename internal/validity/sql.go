package validity

import (
	"regexp"
	"strings"

	"plinth/internal/experiment"
)

// writes reports whether a workload changes the database, as far as its SQL shows. Of
// pgbench's built-in scripts all but select-only do. A user's script does if it has one of
// the keywords of writing outside comments and quotes. This is an approximation: it misses
// functions that write, and counts SELECT FOR UPDATE, which marks rows as locked. The
// server's counters would be exact, but include what autovacuum and others wrote.
func writes(w experiment.Workload) bool {
	for _, s := range w.Scripts {
		switch {
		case s.Builtin != "":
			if !onlyReads[s.Builtin] {
				return true
			}
		case writingWord.MatchString(bare(s.SQL)):
			return true
		}
	}
	return false
}

// onlyReads holds the built-in scripts and tests that change nothing.
var onlyReads = map[string]bool{"select-only": true, "ping": true, "ping-inline": true, "get": true}

var writingWord = regexp.MustCompile(`(?i)\b(insert|update|delete|merge|copy|truncate|create|drop|alter|vacuum|cluster|reindex|refresh|call|do|nextval)\b`)

// bare returns a pgbench script with each comment, quoted text or name, and pgbench
// meta-command replaced by a space.
func bare(script string) string {
	var kept strings.Builder
	for {
		at := noWord.FindStringIndex(script)
		if at == nil {
			return kept.String() + script
		}
		kept.WriteString(script[:at[0]] + " ")
		found, rest := script[at[0]:at[1]], script[at[1]:]
		if found[0] == '$' { // RE2 has no back references to match the closing tag
			_, rest, _ = strings.Cut(rest, found)
		}
		script = rest
	}
}

// noWord matches text without SQL keywords, and the tag that opens a dollar-quoted text: $$
// or $body$. Text that is not closed extends to the end of the script. The end of a nested
// comment ends the outer one here, which leaves too much text, not too little.
var noWord = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?(\*/|$)|'[^']*('|$)|"[^"]*("|$)|\$([A-Za-z_][A-Za-z0-9_]*)?\$|(?m:^[ \t]*\\[^\n]*)`)
