// Package proc has the parsers of the kernel's text files: those of /proc, and those of
// /sys and of control groups that look like them. Each takes the text of a file and
// returns values; who reads the file, and how often, is the caller's. Those that telemetry
// calls each second leave no garbage behind.
package proc

import (
	"bytes"
	"math"
)

// CutLine is the first line, without its end, and what follows.
func CutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// CutWord is the first word, and what follows. It is empty at the end.
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

// Number is a whole number from 0 on in decimal digits; false if it is anything
// else, or needs more than 64 bits. (strconv takes strings, and making one of each
// word would be garbage.)
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

// CutNumbers fills into with the numbers that the line begins with, and says how
// many there are, which is no more than fit. It stops at what is no number.
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
