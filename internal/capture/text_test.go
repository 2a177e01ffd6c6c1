package capture

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// letters returns a kind that begins with BEGIN and a letter, and reads lines that consist of the letter.
func letters(letter string) Kind {
	return Kind{
		Name:   letter,
		Begins: func(lines []string) bool { return lines[0] == "BEGIN "+letter },
		New:    func() Reader { return &lettersReader{letter: letter} },
	}
}

type lettersReader struct {
	letter string
	lines  int
}

func (r *lettersReader) Line(line []byte) bool {
	text := string(line)
	if r.lines > 0 && text != r.letter || r.lines == 0 && text != "BEGIN "+r.letter {
		return false
	}
	r.lines++
	return true
}

func (r *lettersReader) End() (Found, error) {
	if r.lines == 1 {
		return Found{}, errors.New("it is empty")
	}
	return Found{Facts: []Fact{{Name: r.letter, Value: strings.Repeat("x", r.lines-1)}}}, nil
}

func TestRead(t *testing.T) {
	type section struct {
		kind        string
		first, last int
		value       string
	}
	for _, test := range []struct {
		name, text string
		sections   []section
		unread     []Line
	}{
		{name: "empty"},
		{name: "one section", text: "BEGIN a\na\na", sections: []section{{"a", 1, 3, "xx"}}},
		{name: "a foreign line in the middle", text: "BEGIN a\na\nwarning\n\na\n", sections: []section{{"a", 1, 5, "xx"}}, unread: []Line{{3, "warning"}}},
		{name: "two kinds", text: "hello\nBEGIN a\na\nBEGIN b\nb\n", sections: []section{{"a", 2, 3, "x"}, {"b", 4, 5, "x"}}, unread: []Line{{1, "hello"}}},
		{name: "the same kind twice", text: "BEGIN a\na\nBEGIN a\na\na\n", sections: []section{{"a", 1, 2, "x"}, {"a", 3, 5, "xx"}}},
		{name: "fences", text: "```text\nBEGIN a\na\n```\na\n", sections: []section{{"a", 2, 3, "x"}}, unread: []Line{{5, "a"}}},
		{name: "byte order mark, CRLF, colours", text: "\xef\xbb\xbfBEGIN a\r\n\x1b[1;32ma\x1b[0m\r\n", sections: []section{{"a", 1, 2, "x"}}},
		{name: "a quotation in a mail", text: "> BEGIN a\n>a\n>> a\n>\n> > a\n>=a\n", sections: []section{{"a", 1, 5, "xx"}}, unread: []Line{{2, ">a"}, {6, ">=a"}}},
		{name: "refused", text: "BEGIN a\n", sections: []section{{"a", 1, 1, "it is empty"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, from := range map[string]io.Reader{"whole": strings.NewReader(test.text), "byte by byte": iotest.OneByteReader(strings.NewReader(test.text))} {
				got, err := Read(from, []Kind{letters("a"), letters("b")})
				if err != nil {
					t.Fatal(err)
				}
				var sections []section
				for _, s := range got.Sections {
					var value string
					if s.Refused != nil {
						value = s.Refused.Error()
					} else {
						value = s.Found.Facts[0].Value
					}
					sections = append(sections, section{s.Kind, s.First, s.Last, value})
				}
				if !reflect.DeepEqual(sections, test.sections) {
					t.Errorf("%s: sections %v, want %v", name, sections, test.sections)
				}
				if !reflect.DeepEqual(got.Unread, test.unread) {
					t.Errorf("%s: unread %v, want %v", name, got.Unread, test.unread)
				}
			}
		})
	}
}

// cutReader counts the announcements of a line without an end.
type cutReader struct {
	lettersReader
	unended int
}

func (r *cutReader) Unended() { r.unended++ }

func TestReadAnnouncesALineWithoutEnd(t *testing.T) {
	for text, want := range map[string]int{"BEGIN a\na\n": 0, "BEGIN a\na": 1, "BEGIN a": 1, "BEGIN a\nx\na": 1, "BEGIN a\nx\ny\na\n": 0} {
		var reader *cutReader
		kind := letters("a")
		kind.New = func() Reader { reader = &cutReader{lettersReader: lettersReader{letter: "a"}}; return reader }
		if _, err := Read(strings.NewReader(text), []Kind{kind}); err != nil {
			t.Fatal(err)
		}
		if reader.unended != want {
			t.Errorf("%q: %d announcements, want %d", text, reader.unended, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		from io.Reader
		want string
	}{
		"binary":       {strings.NewReader("BEGIN a\na\x00\n"), "line 2: it is not a text: it has zero bytes"},
		"a long line":  {strings.NewReader(strings.Repeat("x", maxLine+2*chunk)), "line 1: the line is longer than 16 MiB"},
		"a read error": {iotest.ErrReader(errors.New("the disk is gone")), "line 1: the disk is gone"},
	} {
		if _, err := Read(test.from, []Kind{letters("a")}); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

func TestReadKeepsFewUnreadLines(t *testing.T) {
	got, err := Read(strings.NewReader(strings.Repeat(strings.Repeat("z", 1000)+"\n", maxUnread+5)), []Kind{letters("a")})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Unread) != maxUnread || got.Others != 5 || len(got.Unread[0].Text) != maxUnreadText {
		t.Errorf("kept %d lines of %d bytes and counted %d others", len(got.Unread), len(got.Unread[0].Text), got.Others)
	}
}

// TestReadStops: a large text of another kind is not read to its end.
func TestReadStops(t *testing.T) {
	got, err := Read(strings.NewReader("BEGIN a\na\n"+strings.Repeat("z\n", 3*maxForeign)), []Kind{letters("a")})
	if err != nil || !got.Stopped || got.Lines != maxForeign+2 || len(got.Sections) != 1 {
		t.Errorf("stopped %v after %d lines, %d sections, error %v", got.Stopped, got.Lines, len(got.Sections), err)
	}
}

func BenchmarkRead(b *testing.B) {
	text := "BEGIN a\n" + strings.Repeat("a\n", 1<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), []Kind{letters("a")}); err != nil {
			b.Fatal(err)
		}
	}
}
