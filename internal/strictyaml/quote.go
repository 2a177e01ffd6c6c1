package strictyaml

import (
	"fmt"
	"regexp"
	"strings"
)

// looksSecret matches text that may hold a password, under any key.
var looksSecret = regexp.MustCompile(`(?i)(password|secret|_key)\s*=|://`)

// LooksSecret says whether a text may hold a password, so that it must not be shown.
func LooksSecret(text string) bool { return looksSecret.MatchString(text) }

// Quote prints what a user wrote: in quotes, on one line, not all of a long text,
// and nothing that may hold a password.
func Quote(text string) string {
	if LooksSecret(text) {
		return `"…" (not shown: it may hold a password)`
	}
	return fmt.Sprintf("%q", Shorten(text))
}

// Bare is Quote without the quotes, as a part of a longer name.
func Bare(text string) string {
	if LooksSecret(text) {
		return "…"
	}
	return strings.Trim(fmt.Sprintf("%q", Shorten(text)), `"`)
}

// Shorten leaves out the end of a long text.
func Shorten(text string) string {
	if letters := []rune(text); len(letters) > 80 {
		return string(letters[:77]) + "..."
	}
	return text
}
