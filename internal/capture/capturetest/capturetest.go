// Package capturetest checks what all readers of captures have in common.
package capturetest

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/capture"
)

// Read reads a file of testdata, which must be one section that is not refused, and returns what was
// found in it. All of its lines must be understood.
func Read(t *testing.T, kinds []capture.Kind, file string) capture.Found {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(t, kinds, string(text))
}

// Parse is Read for a text.
func Parse(t *testing.T, kinds []capture.Kind, text string) capture.Found {
	t.Helper()
	read := parse(t, kinds, text)
	if len(read.Sections) != 1 || read.Sections[0].Refused != nil || len(read.Unread) > 0 {
		t.Fatalf("read %d sections (%+v), unread %v", len(read.Sections), read.Sections, read.Unread)
	}
	return read.Sections[0].Found
}

func parse(t *testing.T, kinds []capture.Kind, text string) capture.Text {
	t.Helper()
	read, err := capture.Read(strings.NewReader(text), kinds)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Column returns a column of the first series, or nil.
func Column(found capture.Found, name string) []float64 {
	if len(found.Series) == 0 {
		return nil
	}
	for _, column := range found.Series[0].Columns {
		if column.Name == name {
			return column.Values
		}
	}
	return nil
}

// Same reports whether two columns are the same but for rounding, where NaN equals NaN.
func Same(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) <= 1e-9*math.Abs(b) || math.IsNaN(a) && math.IsNaN(b)
	})
}

// Fact returns the value of a fact, or "".
func Fact(found capture.Found, name string) string {
	for _, fact := range found.Statements() {
		if fact.Name == name {
			return fact.Value
		}
	}
	return ""
}

// Notes returns the notes as "rule: text".
func Notes(found capture.Found) []string {
	var notes []string
	for _, note := range found.Notes {
		notes = append(notes, note.Rule+": "+note.Text)
	}
	return notes
}

// Ends returns the lengths at which tests cut a text: each of the first hundreds, and then some hundreds
// up to its end. Cutting a long text at each of its bytes would take minutes with the race detector.
func Ends(text string) []int {
	const each, further = 600, 400
	step := 1 + max(0, len(text)-each)/further
	var ends []int
	for end := 0; end < len(text); {
		ends = append(ends, end)
		if end++; end >= each {
			end += step - 1
		}
	}
	return ends
}

// Cut cuts a text at Ends and checks that no value of a series differs from that of the whole text,
// and that each fact that isPrinted has a value that the whole text has as a word or at the end of a line.
func Cut(t *testing.T, kinds []capture.Kind, text string, isPrinted func(capture.Fact) bool) {
	t.Helper()
	whole := parse(t, kinds, text)
	for _, end := range Ends(text) {
		for _, section := range parse(t, kinds, text[:end]).Sections {
			compare(t, section, whole, end)
			for _, fact := range section.Found.Statements() {
				if isPrinted(fact) && !printed(text, fact.Value) {
					t.Fatalf("cut at %d: the fact %s is %q", end, fact.Name, fact.Value)
				}
			}
		}
	}
}

func compare(t *testing.T, section capture.Section, whole capture.Text, end int) {
	t.Helper()
	for _, other := range whole.Sections {
		if other.First != section.First || other.Kind != section.Kind || len(other.Found.Series) == 0 || len(section.Found.Series) == 0 {
			continue
		}
		for _, column := range section.Found.Series[0].Columns {
			want := Column(other.Found, column.Name)
			got := column.Values[:len(column.Values)-1]
			if last := column.Values[len(got)]; !math.IsNaN(last) { // the last reading may lack its end
				got = column.Values
			}
			if want != nil && !Same(got, want[:min(len(got), len(want))]) {
				t.Fatalf("cut at %d: %s is %v, want %v", end, column.Name, got, want)
			}
		}
	}
}

// printed reports whether text has value, neither preceded nor followed by another digit or letter.
func printed(text, value string) bool {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], value)
		if next < 0 {
			return false
		}
		at += next
		after := at + len(value)
		if (at == 0 || !isWord(text[at-1])) && (after == len(text) || !isWord(text[after])) {
			return true
		}
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '_'
}

// Fuzz checks that no text makes a reader panic, and that a series has a value for each row.
func Fuzz(f *testing.F, kind capture.Kind) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		text, err := os.ReadFile("testdata/" + file.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text[:min(len(text), 4096)]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := capture.Read(strings.NewReader(text), []capture.Kind{kind})
		if err != nil {
			return
		}
		for _, section := range read.Sections {
			for _, series := range section.Found.Series {
				check(t, series)
			}
		}
	})
}

func check(t *testing.T, series capture.Series) {
	rows := len(series.Times)
	seen := map[string]bool{}
	for i, column := range series.Columns {
		if rows == 0 && i == 0 {
			rows = len(column.Values)
		}
		if len(column.Values) != rows || seen[column.Name] {
			t.Errorf("column %q has %d values in %d rows, seen before: %t", column.Name, len(column.Values), rows, seen[column.Name])
		}
		seen[column.Name] = true
		for _, value := range column.Values {
			if math.IsInf(value, 0) {
				t.Errorf("column %q has the value %v", column.Name, value)
			}
		}
	}
}
