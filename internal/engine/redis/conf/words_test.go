package conf

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                        {},
		"3600 1  300\t100":        {"3600", "1", "300", "100"},
		`""`:                      {""},
		`"a b" 'c d' e`:           {"a b", "c d", "e"},
		`"\x41\n\"\\" 'it\'s \n'`: {"A\n\"\\", `it's \n`},
		`a"b"`:                    {"ab"},
		`"\xzz"`:                  {"xzz"},
	} {
		if got, err := SplitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s gave %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{`"a`, `'a`, `"a"b`, `'a'b`, `a"b"c`, `"\`} {
		if got, err := SplitWords(line); err == nil {
			t.Errorf("%s gave %q and no error", line, got)
		}
	}
}

// TestQuotedWordsAreRead checks that quoted words are read back, whatever they hold.
func TestQuotedWordsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "words")
		quotedWords := make([]string, len(words))
		for i, word := range words {
			quotedWords[i] = QuoteWord(word)
		}
		line := strings.Join(quotedWords, " ")
		got, err := SplitWords(line)
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("%q quoted as %s is read as %q, %v", words, line, got, err)
		}
		if strings.ContainsAny(line, "\n\r") {
			t.Fatalf("%q would be two lines", line)
		}
	})
}

func FuzzSplitWords(f *testing.F) {
	f.Add(`"a b" 'c\'d' \x41 "\x4"`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := SplitWords(line)
		if err != nil {
			return
		}
		all := make([]string, len(words))
		for i, word := range words {
			all[i] = QuoteWord(word)
		}
		if again, err := SplitWords(strings.Join(all, " ")); err != nil || !slices.Equal(words, again) {
			t.Errorf("%q is read as %q, and then as %q, %v", line, words, again, err)
		}
	})
}
