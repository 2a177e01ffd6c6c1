package postgres

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestSplitSQL(t *testing.T) {
	for _, test := range []struct {
		script string
		want   []statement
	}{
		{"", nil},
		{" ;;\n; -- nothing\n/* ; */", nil},
		{"a; b", []statement{{"a", 1}, {"b", 1}}},
		{"-- first\n\na\n;b ;", []statement{{"a", 3}, {"b", 4}}},
		{"select ';', \";\", E'\\';', 'it''s;' /* ; /* ; */ ; */ ; x", []statement{{"select ';', \";\", E'\\';', 'it''s;' /* ; /* ; */ ; */", 1}, {"x", 1}}},
		{"do $$ a; $x$ ; $$; do $x$ ; $$ ; $x$;", []statement{{"do $$ a; $x$ ; $$", 1}, {"do $x$ ; $$ ; $x$", 1}}},
		{"select $1; select a$b$c; d", []statement{{"select $1", 1}, {"select a$b$c", 1}, {"d", 1}}},
		{"create rule r as on insert to t do (a; b); c", []statement{{"create rule r as on insert to t do (a; b)", 1}, {"c", 1}}},
	} {
		if got := splitSQL(test.script); !slices.Equal(got, test.want) {
			t.Errorf("%q gave %+v", test.script, got)
		}
	}
}

func FuzzSplitSQL(f *testing.F) {
	f.Add("select ';'; $$;$$ -- x\n; E'\\''")
	f.Fuzz(func(t *testing.T, script string) {
		rest := script
		for _, s := range splitSQL(script) {
			at := strings.Index(rest, s.text)
			if at < 0 || s.text == "" {
				t.Fatalf("%q is no part of %q", s.text, rest)
			}
			rest = rest[at+len(s.text):]
		}
	})
}

func TestLineOf(t *testing.T) {
	s := statement{text: "sélect\n a,\n b", line: 5}
	at := func(position int32) error { return serverError{&pgconn.PgError{Position: position}} }
	for position, want := range map[int32]int{0: 5, 1: 5, 9: 6, 13: 7, 1000: 7} {
		if got := s.lineOf(at(position)); got != want {
			t.Errorf("position %d is said to be in line %d, not %d", position, got, want)
		}
	}
	if got := s.lineOf(errors.New("broken")); got != 5 {
		t.Errorf("an error without a position is said to be in line %d", got)
	}
}

func TestParseQuantities(t *testing.T) {
	for _, test := range []struct {
		value string
		unit  int64
		want  int64
	}{
		{"128MB", 8192, 128 << 20}, {"16384", 8192, 128 << 20}, {"1.5 GB", 1, 3 << 29}, {" 1TB ", 1, 1 << 40},
		{"-1", 8192, -8192}, {"0", 1024, 0}, {"64kB", 1, 64 << 10}, {"2B", 1, 2},
	} {
		if got, err := parseMemory(test.value, test.unit); err != nil || got != test.want {
			t.Errorf("%q gave %d, %v", test.value, got, err)
		}
	}
	for _, bad := range []string{"", "MB", "1mb", "1 KB", "1e300TB", "x", "1MB x"} {
		if got, err := parseMemory(bad, 1); err == nil {
			t.Errorf("%q gave %d", bad, got)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, test := range []struct {
		written, printed, unit string
		want                   bool
	}{
		{"1024MB", "1GB", "8kB", true}, {"131072", "1GB", "8kB", true}, {"1GB", "1025MB", "8kB", false},
		{"yes", "on", "", true}, {"0", "off", "", true}, {"no", "on", "", false}, {"Replica", "replica", "", true},
		{"300", "5min", "s", true}, {"4", "4", "", true}, {"4.0", "4", "", true}, {"a", "b", "", false}, {"1s", "1s", "ms", true},
	} {
		if got := sameValue(test.written, test.printed, test.unit); got != test.want {
			t.Errorf("%q and %q (%s): %v", test.written, test.printed, test.unit, got)
		}
	}
}

func FuzzQuantity(f *testing.F) {
	f.Add("1.5GB")
	f.Fuzz(func(_ *testing.T, value string) {
		_, _ = parseMemory(value, 8192)
		sameValue(value, "8MB", "8kB")
	})
}

func TestServerLog(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       trouble
	}{
		{"quiet", "LOG:  database system is ready to accept connections\n", trouble{}},
		{"starting", "2026-01-01 UTC [7] FATAL:  the database system is starting up\n", trouble{}},
		{"killed backend", "x [1] LOG:  server process (PID 12) was terminated by signal 9: Killed\nx [1] DETAIL:  Failed process was running: END;\n" +
			"x [1] LOG:  terminating any other active server processes\n", trouble{crash: "server process (PID 12) was terminated by signal 9: Killed"}},
		{"full disk", "[9] PANIC:  could not write to file \"pg_wal/xlogtemp.9\": No space left on device\n[1] LOG:  server process (PID 9) was terminated by signal 6: Aborted\n",
			trouble{crash: `PANIC: could not write to file "pg_wal/xlogtemp.9": No space left on device`,
				fatal:  `PANIC: could not write to file "pg_wal/xlogtemp.9": No space left on device`,
				failed: `PANIC: could not write to file "pg_wal/xlogtemp.9": No space left on device`}},
		{"error", "ERROR:  division by zero\nSTATEMENT:  select 1/0\n", trouble{failed: "ERROR: division by zero"}},
		{"bad file", "LOG:  invalid value for parameter \"work_mem\": \"x\"\nFATAL:  configuration file \"f\" contains errors\n",
			trouble{config: `invalid value for parameter "work_mem": "x"`, fatal: `FATAL: configuration file "f" contains errors`, failed: `FATAL: configuration file "f" contains errors`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := newServerLog()
			for i := range test.text { // byte by byte, as a pipe may give it
				_, _ = log.Write([]byte{test.text[i]})
			}
			if got := log.Said(); got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if log.String() != test.text {
				t.Errorf("kept %q", log)
			}
		})
	}
}

func FuzzServerLog(f *testing.F) {
	f.Add([]byte("PANIC:  x\nLOG:  server process (PID 9) was terminated by signal 6: Aborted\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = newServerLog().Write(text) })
}
