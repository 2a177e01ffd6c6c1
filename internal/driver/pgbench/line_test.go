package pgbench

import (
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		name, line string
		form       form
		want       entry
	}{
		{"plain", "0 199 2241 0 1175850568 995598", form{}, entry{end: 1175850568995598, micros: 2241}},
		{"unpadded microseconds", "0 1 5 0 1175850568 7", form{}, entry{end: 1175850568000007, micros: 5}},
		{"second script", "12 3 5 1 1 0", form{}, entry{client: 12, end: 1e6, micros: 5, script: 1}},
		{"rate", "0 81 4621 0 1412881037 912698 3005", form{lag: true}, entry{end: 1412881037912698, micros: 4621, lag: 3005}},
		{"skipped", "0 83 skipped 0 1412881037 914578 5217", form{lag: true}, entry{end: 1412881037914578, lag: 5217, outcome: skipped}},
		{"retries", "3 0 47423 0 1499414498 34501 3", form{retries: true}, entry{client: 3, end: 1499414498034501, micros: 47423, retries: 3}},
		{"rate and retries", "3 0 47423 0 1499414498 34501 12 3", form{lag: true, retries: true}, entry{client: 3, end: 1499414498034501, micros: 47423, lag: 12, retries: 3}},
		{"failed", "3 1 failed 0 1499414498 84905 9", form{retries: true}, entry{client: 3, end: 1499414498084905, retries: 9, outcome: failed}},
		{"serialization", "2 1 serialization 0 1499414498 84905 9", form{retries: true}, entry{client: 2, end: 1499414498084905, retries: 9, outcome: failed}},
		{"deadlock", "2 1 deadlock 0 1499414498 84905 9", form{retries: true}, entry{client: 2, end: 1499414498084905, retries: 9, outcome: failed}},
		{"clock set back", "0 1 -52 0 10 0 -7", form{lag: true}, entry{end: 10e6, micros: -52, lag: -7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := entry{client: 1, micros: 1, lag: 1, retries: 1, script: 1, outcome: failed} // of the previous line
			if !c.form.parse([]byte(c.line), &got) || got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseLineRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		form form
	}{
		{"", form{}},
		{" ", form{}},
		{"0 1 5 0 10", form{}},
		{"0 1 5 0 10 0 ", form{}},
		{"0 1 5 0 10 0 3", form{}},
		{"0 1 5 0 10 0", form{lag: true}},
		{"0 1 5 0 10 0 1", form{lag: true, retries: true}},
		{"0 1 5 0 10 0\r", form{}},
		{"0  1 5 0 10 0", form{}},
		{"0 1 oops 0 10 0", form{}},
		{"0 1 - 0 10 0", form{}},
		{"0 1 5", form{}},
		{"0 1 5 999 10 0", form{}},
		{"0 1 5 0 10 1000000", form{}},
		{"0 1 5 0 9999999999999 0", form{}},
		{"99999999999999999999 1 5 0 10 0", form{}},
		{"0 1 " + strings.Repeat("9", 400) + " 0 10 0", form{}},
		{"0 1 5 0 10 0 4294967295 x", form{retries: true}},
	} {
		if c.form.parse([]byte(c.line), new(entry)) {
			t.Errorf("%q was accepted", c.line)
		}
	}
}

func TestStreamPieces(t *testing.T) {
	log := "0 1 5 0 10 0\n0 2 6 0 10 1\n0 3 7 0 10 2\n"
	for size := 1; size <= len(log); size++ {
		var got []int64
		s := &stream{}
		for rest := log; rest != ""; {
			piece := rest[:min(size, len(rest))]
			rest = rest[len(piece):]
			if err := s.decode([]byte(piece), func(e *entry) error { got = append(got, e.micros); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.end(); err != nil || len(got) != 3 || got[0] != 5 || got[1] != 6 || got[2] != 7 {
			t.Fatalf("in pieces of %d: %v %v", size, got, err)
		}
	}
}

func TestStreamErrors(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"0 1 5 0 10 0\nbogus\n", `transaction log of thread 3, line 2: not a line of a transaction log: "bogus"`},
		{"0 1 5 0 10 0\n0 2 6", `transaction log of thread 3, line 2: the log ends within a line: "0 2 6"`},
		{strings.Repeat("x", 1000), "transaction log of thread 3, line 1: line of more than 512 bytes"},
	} {
		s := &stream{thread: 3}
		err := s.decode([]byte(c.log), func(*entry) error { return nil })
		if err == nil {
			err = s.end()
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.20q: got %v, want %s", c.log, err, c.want)
		}
	}
}
