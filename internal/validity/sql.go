package validity

import (
	"regexp"
	"strings"

	"plinth/internal/experiment"
)

// writes says whether a workload changes the database, as far as its SQL shows.
// Of pgbench's built-in scripts only select-only does not. A script of the user's own
// does when it has one of the words of writing outside of comments and quotes.
// That is rough: a function that writes is not seen, and SELECT FOR UPDATE, which
// marks rows as locked, counts. The server's own counters would tell it exactly,
// and also what autovacuum and others wrote.
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

// onlyReads are the built-in scripts and tests that change nothing.
var onlyReads = map[string]bool{"select-only": true, "ping": true, "get": true}

var writingWord = regexp.MustCompile(`(?i)\b(insert|update|delete|merge|copy|truncate|create|drop|alter|vacuum|cluster|reindex|refresh|call|do|nextval)\b`)

// bare is a pgbench script without its comments, its quoted texts and names, and
// pgbench's own commands, each of which becomes a space.
func bare(script string) string {
	var kept strings.Builder
	for {
		at := noWord.FindStringIndex(script)
		if at == nil {
			return kept.String() + script
		}
		kept.WriteString(script[:at[0]] + " ")
		found, rest := script[at[0]:at[1]], script[at[1]:]
		if found[0] == '$' { // RE2 has no back references to find the end with
			_, rest, _ = strings.Cut(rest, found)
		}
		script = rest
	}
}

// noWord is what holds no words of SQL, and the tag that opens a text in dollar
// quotes: $$ or $body$. What is never closed goes to the end. A comment inside a
// comment ends the outer one here, which leaves too much, not too little.
var noWord = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?(\*/|$)|'[^']*('|$)|"[^"]*("|$)|\$([A-Za-z_][A-Za-z0-9_]*)?\$|(?m:^[ \t]*\\[^\n]*)`)
