package knob

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/hint"
)

// longest is the maximum length of a value in bytes: a page, which is the most that the
// kernel accepts in one write.
const longest = 4096

// Canonical returns a value in the form that is written to the file or passed to the server:
// in the knob's own unit and words, a list in order. "64KiB" of a knob in kB becomes "64",
// 16384 of shared_buffers "128MB". A value out of range, with a wrong unit, or an unknown word
// is an error with a hint.
func (k Knob) Canonical(value string) (string, error) {
	text := strings.TrimSpace(value)
	if len(value) > longest || strings.ContainsAny(value, "\n\r\x00") {
		return "", k.refuse(value, "it is not one line of up to 4096 bytes")
	}
	var canonical, reason string
	switch k.Kind {
	case Integer, Number:
		canonical, reason = k.number(text)
	case Boolean:
		canonical, reason = k.boolean(text)
	case Word:
		canonical, reason = k.word(text)
	case CPUList:
		canonical, reason = listed(text)
	case Pins:
		canonical, reason = pinned(text)
	case Options:
		canonical, reason = optioned(text)
	default:
		canonical, reason = k.text(value)
	}
	if reason != "" {
		return "", k.refuse(value, reason)
	}
	return canonical, nil
}

// refuse returns the error for a value, with the valid values as its hint.
func (k Knob) refuse(value, reason string) error {
	return hint.Wrap(fmt.Errorf("cannot set %s to %q: %s", k.Name, shortened(value), reason), k.Name+" is "+k.Takes())
}

// shortened returns the part of a value that an error shows.
func shortened(value string) string {
	if runes := []rune(value); len(runes) > 60 {
		return string(runes[:57]) + "..."
	}
	return value
}

// Same reports whether two values mean the same: "0-3" and "0,1,2,3", " 60\n" and "60",
// "0.125GB" and "128MB". The values need not be valid: a zero that the kernel shows but
// refuses equals another zero.
func (k Knob) Same(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return true
	}
	switch k.Kind {
	case Integer, Number:
		return k.sameNumber(a, b)
	case Options:
		return sameOptions(a, b)
	case Text:
		return slices.Equal(strings.Fields(a), strings.Fields(b))
	}
	first, err := k.Canonical(a)
	if err != nil {
		return false
	}
	second, err := k.Canonical(b)
	return err == nil && first == second
}

// sameNumber compares numbers, ignoring the knob's range.
func (k Knob) sameNumber(a, b string) bool {
	first, reason := k.inUnits(a)
	if reason != "" {
		return strings.EqualFold(a, b)
	}
	second, reason := k.inUnits(b)
	if reason != "" {
		return false
	}
	if k.Kind == Integer {
		return k.whole(first).Cmp(k.whole(second)) == 0
	}
	return near(first, second)
}

// whole returns a number as an Integer stores it: PostgreSQL rounds.
func (k Knob) whole(r *big.Rat) *big.Rat {
	if k.Engine != "postgres" {
		return r
	}
	return new(big.Rat).SetInt(rounded(r))
}

// near compares numbers to six digits, the number that PostgreSQL shows.
func near(a, b *big.Rat) bool {
	x, _ := a.Float64()
	y, _ := b.Float64()
	return x == y || math.Abs(x-y) <= 5.1e-6*math.Max(math.Abs(x), math.Abs(y))
}

// number returns the canonical form of an Integer or Number, or the reason why it is invalid.
func (k Knob) number(text string) (canonical, reason string) {
	if word, ok := fold(k.Words, text); ok {
		return word, ""
	}
	n, reason := k.inUnits(text)
	if reason != "" {
		return "", reason
	}
	if k.Kind == Integer {
		if n = k.whole(n); !n.IsInt() {
			return "", "it is not a whole number" + k.of()
		}
	} else if q, ok := exact(n); ok {
		n = q
	} else {
		return "", "it is too large"
	}
	if reason := k.outside(n); reason != "" {
		return "", reason
	}
	return k.show(n), ""
}

// outside returns why a number is outside the knob's range; "" if it is within.
func (k Knob) outside(n *big.Rat) string {
	if k.Kind == Integer && n.Num().BitLen() > 64 {
		return "it is too large"
	}
	if k.Min != nil && n.Cmp(new(big.Rat).SetFloat64(*k.Min)) < 0 {
		return "it is less than " + k.limit(*k.Min)
	}
	if k.Max != nil && n.Cmp(new(big.Rat).SetFloat64(*k.Max)) > 0 {
		return "it is more than " + k.limit(*k.Max)
	}
	if k.Step == 0 {
		return ""
	}
	if !new(big.Rat).Quo(n, new(big.Rat).SetFloat64(k.Step)).IsInt() {
		return "it is not a multiple of " + k.limit(k.Step)
	}
	return ""
}

// limit formats a bound of the range for display.
func (k Knob) limit(bound float64) string {
	r := new(big.Rat).SetFloat64(bound)
	if k.Kind == Number && math.Abs(bound) >= 1e15 {
		return strconv.FormatFloat(bound, 'g', 6, 64)
	}
	return k.show(r)
}

// of returns the text after a number that gives its unit: " of kB"; "" without a unit.
func (k Knob) of() string {
	if k.Unit == "" {
		return ""
	}
	return " of " + k.Unit
}

// boolean returns the canonical form of a Boolean, or the reason why it is invalid.
func (k Knob) boolean(text string) (canonical, reason string) {
	if word, ok := fold(k.Words, text); ok {
		return word, ""
	}
	if on, ok := truth(text); ok && len(k.Words) == 2 {
		if on {
			return k.Words[0], ""
		}
		return k.Words[1], ""
	}
	return "", "it is neither " + strings.Join(k.Words, " nor ")
}

// truth parses a truth value like PostgreSQL: 1, 0, or an unambiguous prefix of true, false,
// yes, no, on or off.
func truth(text string) (on, ok bool) {
	text = strings.ToLower(text)
	begins := func(word string, least int) bool { return len(text) >= least && strings.HasPrefix(word, text) }
	switch {
	case text == "1", begins("true", 1), begins("yes", 1), text == "on":
		return true, true
	case text == "0", begins("false", 1), begins("no", 1), begins("off", 2):
		return false, true
	}
	return false, false
}

// word returns the canonical form of a Word, or the reason why it is invalid. If on and off
// are among the words, other spellings of a truth value are accepted for them.
func (k Knob) word(text string) (canonical, reason string) {
	if word, ok := fold(k.Words, text); ok {
		return word, ""
	}
	if on, ok := truth(text); ok {
		meant := map[bool]string{true: "on", false: "off"}[on]
		if slices.Contains(k.Words, meant) {
			return meant, ""
		}
	}
	if slices.Contains(k.Absent, text) {
		return "", "it is the value that a machine without this feature reports"
	}
	if near := hint.Nearest(text, k.Words); near != "" {
		return "", "did you mean " + near + "?"
	}
	return "", "it is not one of its values"
}

// fold finds a word, ignoring case.
func fold(words []string, text string) (string, bool) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, text) })
	if i < 0 {
		return "", false
	}
	return words[i], true
}

// text returns the canonical form of a Text, or the reason why it is invalid. In layers below
// Server, blanks are separators; a server's own texts are unchanged.
func (k Knob) text(value string) (canonical, reason string) {
	if k.Layer != Server {
		value = strings.Join(strings.Fields(value), " ")
		if value == "" {
			return "", "it is empty"
		}
	}
	if k.Pattern == "" {
		return value, ""
	}
	form, err := regexp.Compile("^(?:" + k.Pattern + ")$")
	if err != nil || !form.MatchString(value) {
		return "", fmt.Sprintf("it is not written like %q", k.Example)
	}
	return value, ""
}

// Weakens reports whether a value can lose or damage acknowledged data in a crash or a power
// failure.
func (k Knob) Weakens(value string) bool {
	if k.Kind == Options {
		return unsafeOptions(value)
	}
	for _, unsafe := range k.Unsafe {
		if k.Same(unsafe, value) {
			return true
		}
	}
	return false
}

// LosesMore reports whether Redis, by design, loses more in a crash with one value than with
// another: with appendfsync everysec than with always.
func (k Knob) LosesMore(value, than string) bool {
	return k.persistence(value) < k.persistence(than)
}

// persistence returns the index of a value among the knob's Persistence values, or their
// number if it is none of them.
func (k Knob) persistence(value string) int {
	for i, weak := range k.Persistence {
		if k.Same(weak, value) {
			return i
		}
	}
	return len(k.Persistence)
}
