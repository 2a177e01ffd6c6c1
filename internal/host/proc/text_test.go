package proc

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for word, want := range map[string]struct {
		n  uint64
		ok bool
	}{
		"0":                     {0, true},
		"007":                   {7, true},
		"18446744073709551615":  {math.MaxUint64, true},
		"18446744073709551616":  {0, false},
		"99999999999999999999":  {0, false},
		"184467440737095516150": {0, false},
		"":                      {0, false},
		"-1":                    {0, false},
		"+1":                    {0, false},
		"1.5":                   {0, false},
		"1e3":                   {0, false},
		"0x10":                  {0, false},
		"1\x00":                 {0, false},
		"\xff":                  {0, false},
	} {
		if n, ok := Number([]byte(word)); n != want.n || ok != want.ok {
			t.Errorf("number(%q) = %d, %v; want %d, %v", word, n, ok, want.n, want.ok)
		}
	}
}

// Number accepts what strconv accepts, except a sign.
func FuzzNumber(f *testing.F) {
	f.Add("18446744073709551615")
	f.Add("-1")
	f.Fuzz(func(t *testing.T, word string) {
		n, ok := Number([]byte(word))
		want, err := strconv.ParseUint(word, 10, 64)
		if ok != (err == nil) || ok && n != want {
			t.Errorf("number(%q) = %d, %v; strconv says %d, %v", word, n, ok, want, err)
		}
	})
}

func TestCut(t *testing.T) {
	line, rest := CutLine([]byte("a b\n\nc"))
	if string(line) != "a b" || string(rest) != "\nc" {
		t.Errorf("the line is %q, and then %q", line, rest)
	}
	if line, rest = CutLine([]byte("no end")); string(line) != "no end" || len(rest) != 0 {
		t.Errorf("the line is %q, and then %q", line, rest)
	}
	var words []string
	for rest := []byte("  a\t bb c  "); ; {
		var word []byte
		if word, rest = CutWord(rest); len(word) == 0 {
			break
		}
		words = append(words, string(word))
	}
	if got := strings.Join(words, "|"); got != "a|bb|c" {
		t.Errorf("the words are %s", got)
	}
	numbers := []uint64{9, 9, 9}
	if n := CutNumbers([]byte(" 1 2 x 4"), numbers); n != 2 || numbers[0] != 1 || numbers[1] != 2 {
		t.Errorf("%d numbers: %v", n, numbers)
	}
	if n := CutNumbers([]byte("1 2 3 4"), numbers); n != 3 {
		t.Errorf("%d numbers, where three fit", n)
	}
}
