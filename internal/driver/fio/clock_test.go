package fio

import (
	"testing"
	"time"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1795297164100, 5, 1, 0, 0\n1795297164150, 5, 1, 0, 0\n1795297164400, 5, 1, 0, 0\n": 300 * time.Millisecond,
		"1795297164100, 5, 0, 0\n1795297164101, 5, 0, 0":                                    time.Millisecond,
	} {
		from, to, err := parseClock([]byte(text))
		if err != nil || to.Sub(from) != want || from.UnixMilli() != 1795297164100 {
			t.Errorf("%q: got %s to %s, %v", text, from, to, err)
		}
	}
	for _, text := range []string{"", "\n", "x, 1\n", "-5, 1\n", "1795297164100, 5, 1, 0, 0\n", "20, 1\n10, 1\n", "99999999999999999999, 1\n", "1, 1\n7258118400001, 1\n"} {
		if from, to, err := parseClock([]byte(text)); err == nil {
			t.Errorf("%q: got %s to %s", text, from, to)
		}
	}
	if _, _, err := ReadClock("testdata/nothing"); err == nil {
		t.Error("a log that does not exist was read")
	}
}

func FuzzClock(f *testing.F) {
	f.Add(read(f, "testdata/sustained_bw.log"))
	f.Fuzz(func(t *testing.T, text []byte) {
		from, to, err := parseClock(text)
		if (err == nil) != to.After(from) {
			t.Errorf("%s to %s, %v", from, to, err)
		}
	})
}
