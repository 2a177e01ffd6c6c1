package strictyaml

import (
	"fmt"
	"regexp"
	"strings"
)

// looksSecret matches text that may contain a password, under any key.
var looksSecret = regexp.MustCompile(`(?i)(password|secret|_key)\s*=|://`)

// LooksSecret reports whether a text may contain a password and must not be shown.
func LooksSecret(text string) bool { return looksSecret.MatchString(text) }

// Quote returns user input in quotes, on one line and shortened. It does not show text that may contain
// a password.
func Quote(text string) string {
	if LooksSecret(text) {
		return `"…" (not shown: it may hold a password)`
	}
	return fmt.Sprintf("%q", Shorten(text))
}

// Bare is like Quote, but without the quotes, for use within a longer name.
func Bare(text string) string {
	if LooksSecret(text) {
		return "…"
	}
	return strings.Trim(fmt.Sprintf("%q", Shorten(text)), `"`)
}

// Shorten truncates a text to 80 characters.
func Shorten(text string) string {
	if letters := []rune(text); len(letters) > 80 {
		return string(letters[:77]) + "..."
	}
	return text
}
