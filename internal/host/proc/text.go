// Package proc parses the kernel's text files: those in /proc, and those of similar form in
// /sys and in control groups. Each function takes the text of a file; the caller decides when
// to read the file. The functions that telemetry calls each second produce no garbage.
package proc

import (
	"bytes"
	"math"
)

// CutLine returns the first line, without its newline, and the rest.
func CutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// CutWord returns the first word, "" at the end, and the rest.
func CutWord(line []byte) (word, rest []byte) {
	begin := 0
	for begin < len(line) && isBlank(line[begin]) {
		begin++
	}
	end := begin
	for end < len(line) && !isBlank(line[end]) {
		end++
	}
	return line[begin:end], line[end:]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// Number parses a non-negative decimal integer; false for anything else, or if it needs more
// than 64 bits. (strconv takes strings, and one for each word would be garbage.)
func Number(word []byte) (uint64, bool) {
	if len(word) == 0 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range word {
		digit := uint64(c - '0')
		if digit > 9 || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// CutNumbers fills into with the numbers at the start of line and returns their count, at most
// len(into). It stops at the first word that is no number.
func CutNumbers(line []byte, into []uint64) int {
	for i := range into {
		var word []byte
		word, line = CutWord(line)
		n, ok := Number(word)
		if !ok {
			return i
		}
		into[i] = n
	}
	return len(into)
}
