package knob

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Reading returns the value in a file's content, without the trailing newline: the word in
// brackets if the file lists all words, the digits of a binary number, or several numbers
// separated by single blanks.
func (k Knob) Reading(content string) string {
	text := strings.TrimSpace(content)
	switch {
	case k.Binary && len(content) == 4:
		return strconv.FormatUint(uint64(binary.NativeEndian.Uint32([]byte(content))), 10)
	case k.Bracketed:
		if _, rest, found := strings.Cut(text, "["); found {
			word, _, _ := strings.Cut(rest, "]")
			return word
		}
	case k.Kind == Text:
		return strings.Join(strings.Fields(text), " ")
	}
	return text
}

// Choice returns the words that a file lists: those of a bracketed file, without the
// brackets, or those of the Choices file.
func Choice(content string) []string {
	return strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(content))
}

// Path returns the file of a knob for one object: the name of a disk, the number of a CPU or an
// interrupt, or "node0" or "0" for a NUMA node.
func (k Knob) Path(of string) string { return k.path(k.File, of) }

// ChoicesPath returns the file that lists the words of a knob for a disk, CPU, interrupt
// or NUMA node; "" if it has none.
func (k Knob) ChoicesPath(of string) string { return k.path(k.Choices, of) }

func (k Knob) path(pattern, of string) string {
	if k.Scope == OfNode && !strings.HasPrefix(of, "node") {
		of = "node" + of
	}
	return strings.NewReplacer("{device}", of, "{cpu}", of, "{node}", of, "{irq}", of).Replace(pattern)
}
