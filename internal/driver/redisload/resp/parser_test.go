package resp

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// read returns all replies in pieces, as "kind text".
func read(pieces ...string) (replies []string, err error) {
	var p Parser
	for _, piece := range pieces {
		for b := []byte(piece); len(b) > 0; {
			n, done, err := p.Parse(b)
			if err != nil {
				return replies, err
			}
			if !done && n != len(b) {
				return replies, fmt.Errorf("used %d of %d bytes without a reply", n, len(b))
			}
			if b = b[n:]; done {
				replies = append(replies, shown(&p))
			}
		}
	}
	if p.Within() {
		replies = append(replies, "...")
	}
	return replies, nil
}

func shown(p *Parser) string {
	switch p.Kind() {
	case Nil:
		return "nil"
	case Error:
		return "-" + string(p.Text())
	}
	return "value"
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"+OK\r\n", "value"},
		{":1000\r\n:-1\r\n", "value value"},
		{"$5\r\nhe\r\no\r\n", "value"},
		{"$0\r\n\r\n", "value"},
		{"$-1\r\n", "nil"},
		{"*-1\r\n", "nil"},
		{"*0\r\n", "value"},
		{"*2\r\n$1\r\na\r\n$-1\r\n", "value"},
		{"*2\r\n*1\r\n:1\r\n*0\r\n+PONG\r\n", "value value"},
		{"*2\r\n-ERR inner\r\n:1\r\n", "value"},
		{"-ERR unknown command\r\n", "-ERR unknown command"},
		{"-\r\n", "-"},
		{"-MISCONF Redis is configured to save\r\n-OOM\r\n", "-MISCONF Redis is configured to save -OOM"},
		{"-" + strings.Repeat("x", 2000) + "\r\n+OK\r\n", "-" + strings.Repeat("x", longestText) + " value"},
		{"$5\r\nhel", "..."},
		{"*2\r\n:1\r\n", "..."},
		{"+", "..."},
	} {
		got, err := read(c.in)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%.40q gives %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{
		"HTTP/1.1 400 Bad Request\r\n", "\r\n", "%1\r\n", "$\r\n", "$-2\r\n", "$--1\r\n", "$1a\r\n",
		"+OK\rx", "$1\r\nab\r\n", "$1\r\na\rb", "$9999999999999999\r\n", "$1-\r\n",
		strings.Repeat("*999999999999999\r\n", 2000),
	} {
		if got, err := read(in); err == nil {
			t.Errorf("%.40q was taken for %q", in, got)
		}
	}
}

// split cuts s at random.
func split(t *rapid.T, s string) (pieces []string) {
	for s != "" {
		n := rapid.IntRange(1, len(s)).Draw(t, "piece")
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return pieces
}

// reply draws a reply with the result that read has for it.
func reply(t *rapid.T, depth int) (text, want string) {
	word := rapid.StringMatching(`[A-Za-z ]{0,20}`)
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case kind == 0:
		return "+" + word.Draw(t, "status") + "\r\n", "value"
	case kind == 1:
		return fmt.Sprintf(":%d\r\n", rapid.Int64().Draw(t, "number")), "value"
	case kind == 2:
		w := word.Draw(t, "error")
		return "-" + w + "\r\n", "-" + w
	case kind == 3:
		return rapid.SampledFrom([]string{"$-1\r\n", "*-1\r\n"}).Draw(t, "nil"), "nil"
	case kind == 4 && depth < 4:
		n := rapid.IntRange(0, 4).Draw(t, "elements")
		text = fmt.Sprintf("*%d\r\n", n)
		for range n {
			inner, _ := reply(t, depth+1)
			text += inner
		}
		return text, "value"
	}
	b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "bytes")
	return fmt.Sprintf("$%d\r\n%s\r\n", len(b), b), "value"
}

func TestParseAnySplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all string
		var want []string
		for range rapid.IntRange(1, 8).Draw(t, "replies") {
			text, w := reply(t, 0)
			all, want = all+text, append(want, w)
		}
		got, err := read(split(t, all)...)
		if err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%q gives %q, %v; want %q", all, got, err, want)
		}
	})
}

// FuzzParse checks that any input is read the same as a whole and byte by byte.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"+OK\r\n", "$3\r\nabc\r\n:1\r\n", "*2\r\n$-1\r\n*1\r\n-ERR\r\n", "-MISCONF x\r\n", "$-1\r\n", "*0\r\n*-1\r\n", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		whole, wholeErr := read(in)
		bytewise, byteErr := read(strings.Split(in, "")...)
		single := make([]string, 0, len(in))
		for i := range len(in) {
			single = append(single, in[i:i+1])
		}
		singly, singleErr := read(single...)
		if fmt.Sprint(whole, wholeErr) != fmt.Sprint(bytewise, byteErr) || fmt.Sprint(whole, wholeErr) != fmt.Sprint(singly, singleErr) {
			t.Fatalf("%q: whole %q %v, rune by rune %q %v, byte by byte %q %v", in, whole, wholeErr, bytewise, byteErr, singly, singleErr)
		}
	})
}

func TestParseAllocatesNothing(t *testing.T) {
	var p Parser
	in := []byte("+OK\r\n$5\r\nhello\r\n:12\r\n$-1\r\n*1\r\n+x\r\n-ERR no\r\n")
	_, _, _ = p.Parse([]byte("-ERR first\r\n"))
	if n := testing.AllocsPerRun(100, func() {
		for b := in; len(b) > 0; {
			n, _, _ := p.Parse(b)
			b = b[n:]
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{3, 100, 180_000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			in := fmt.Appendf(nil, "$%d\r\n%s\r\n", size, strings.Repeat("x", size))
			var p Parser
			b.ReportAllocs()
			for b.Loop() {
				if n, done, err := p.Parse(in); n != len(in) || !done || err != nil {
					b.Fatal(n, done, err)
				}
			}
		})
	}
}
