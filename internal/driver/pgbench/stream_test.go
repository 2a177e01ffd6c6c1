package pgbench

import (
	"strings"
	"testing"

	"plinth/internal/driver/pgbench/txlog"
)

func TestStreamPieces(t *testing.T) {
	log := "0 1 5 0 10 0\n0 2 6 0 10 1\n0 3 7 0 10 2\n"
	for size := 1; size <= len(log); size++ {
		var got []int64
		s := &stream{}
		for rest := log; rest != ""; {
			piece := rest[:min(size, len(rest))]
			rest = rest[len(piece):]
			if err := s.decode([]byte(piece), func(e *txlog.Entry) error { got = append(got, e.Micros); return nil }); err != nil {
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
		err := s.decode([]byte(c.log), func(*txlog.Entry) error { return nil })
		if err == nil {
			err = s.end()
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.20q: got %v, want %s", c.log, err, c.want)
		}
	}
}
