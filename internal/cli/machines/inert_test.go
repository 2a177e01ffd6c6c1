package machines

import (
	"strings"
	"testing"
)

// TestInertParts writes a text in parts of every size: escape sequences are visible, and no character is
// damaged.
func TestInertParts(t *testing.T) {
	const text, want = "é → 漢😀\n\x1b]0;title\x07\tend", "é → 漢😀\n␛]0;title␇\tend"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := &inert{out: &out}
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("in parts of %d bytes: %q", size, out.String())
		}
	}
}
