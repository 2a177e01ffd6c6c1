package experiment

import "testing"

func TestWords(t *testing.T) {
	for _, c := range []struct{ engine, text, want string }{
		{"postgres", "peak TPS", "peak TPS"},
		{"redis", "peak TPS", "peak RPS"},
		{"redis", "second of the lowest TPS", "second of the lowest RPS"},
		{"redis", "a transaction", "a request"},
		{"", "TPS of a transaction", "TPS of a transaction"},
		{"another", "TPS", "TPS"},
	} {
		if got := TermsOf(c.engine).Say(c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.engine, c.text, got, c.want)
		}
	}
}

func TestCellNames(t *testing.T) {
	for cell, want := range map[Cell][2]string{
		{"tpcb-like", 10, 4, 0}:     {"tpcb-like/c10-j4", "tpcb-like, 10 clients, 4 threads"},
		{"tpcb-like", 10, 4, 500}:   {"tpcb-like/c10-j4-rate500", "tpcb-like, 10 clients, 4 threads, 500/s"},
		{"ro", 1, 1, 0.25}:          {"ro/c1-j1-rate0.25", "ro, 1 client, 1 thread, 0.25/s"},
		{"ro", 1, 1, 1_000_000_000}: {"ro/c1-j1-rate1000000000", "ro, 1 client, 1 thread, 1000000000/s"},
	} {
		if cell.Path() != want[0] || cell.String() != want[1] {
			t.Errorf("got %q and %q, want %q", cell.Path(), cell.String(), want)
		}
	}
}
