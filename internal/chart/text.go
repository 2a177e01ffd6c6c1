package chart

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean prepares text from a file for a chart: it is on one line, valid UTF-8, and without
// control and format characters. Bidirectional format characters would let a name reorder the
// text around it.
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

// escape returns s cleaned and escaped for an element or an attribute.
func escape(s string) string { return escaper.Replace(clean(s)) }

// Character widths in em, estimated for a wide typeface (DejaVu Sans), so that text rarely
// needs more. Exact widths depend on the reader's font, which is unknown.
const (
	narrowEm, digitEm, lowerEm, upperEm, wideEm, fullEm = 0.37, 0.64, 0.6, 0.72, 0.97, 1.1
)

// boldWidth is the width of bold text relative to regular text.
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

// textWidth estimates the width of s in px at the given font size.
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
