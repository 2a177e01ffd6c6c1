package chart

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text that came from a file fit to stand in a figure: on one line,
// valid, and without control and format characters. Those of the latter kind that
// turn the direction of writing would let a name rearrange its neighbours.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) || r&0xFFFE == 0xFFFE:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape makes clean text of s that may stand in an element or an attribute.
func escape(s string) string { return escaper.Replace(clean(s)) }

// widths are estimated for a wide face (DejaVu Sans), so that text rarely needs
// more than was estimated. Measuring would take the reader's font, which a file
// cannot know.
const (
	narrowEm, digitEm, lowerEm, upperEm, wideEm, fullEm = 0.37, 0.64, 0.6, 0.72, 0.97, 1.1
)

// boldWidth is how much wider bold text is.
const boldWidth = 1.14

func runeEm(r rune) float64 {
	switch {
	case strings.ContainsRune(" .,:;'|!ijl()[]ftrI", r):
		return narrowEm
	case r >= '0' && r <= '9':
		return digitEm
	case strings.ContainsRune("mwMW%@—…", r):
		return wideEm
	case r < utf8.RuneSelf && unicode.IsUpper(r):
		return upperEm
	case r >= 0x1100:
		return fullEm
	case unicode.Is(unicode.Mn, r):
		return 0
	}
	return lowerEm
}

// textWidth is about how wide s is, in px, when set in the given size.
func textWidth(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += runeEm(r)
	}
	return em * size
}

// cut shortens clean text to a width in px, with an ellipsis.
func cut(s string, size, width float64) string {
	if textWidth(s, size) <= width+0.01 {
		return s
	}
	em, room := 0.0, width/size-wideEm
	for i, r := range s {
		if em += runeEm(r); em > room {
			return strings.TrimRight(s[:i], " .,") + "…"
		}
	}
	return s
}
