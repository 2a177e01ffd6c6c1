package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestSplitSQL(t *testing.T) {
	for _, test := range []struct {
		script string
		want   []Statement
	}{
		{"", nil},
		{" ;;\n; -- nothing\n/* ; */", nil},
		{"a; b", []Statement{{"a", 1}, {"b", 1}}},
		{"-- first\n\na\n;b ;", []Statement{{"a", 3}, {"b", 4}}},
		{"select ';', \";\", E'\\';', 'it''s;' /* ; /* ; */ ; */ ; x", []Statement{{"select ';', \";\", E'\\';', 'it''s;' /* ; /* ; */ ; */", 1}, {"x", 1}}},
		{"do $$ a; $x$ ; $$; do $x$ ; $$ ; $x$;", []Statement{{"do $$ a; $x$ ; $$", 1}, {"do $x$ ; $$ ; $x$", 1}}},
		{"select $1; select a$b$c; d", []Statement{{"select $1", 1}, {"select a$b$c", 1}, {"d", 1}}},
		{"create rule r as on insert to t do (a; b); c", []Statement{{"create rule r as on insert to t do (a; b)", 1}, {"c", 1}}},
	} {
		if got := Split(test.script); !slices.Equal(got, test.want) {
			t.Errorf("%q gave %+v", test.script, got)
		}
	}
}

func FuzzSplitSQL(f *testing.F) {
	f.Add("select ';'; $$;$$ -- x\n; E'\\''")
	f.Fuzz(func(t *testing.T, script string) {
		rest := script
		for _, s := range Split(script) {
			at := strings.Index(rest, s.Text)
			if at < 0 || s.Text == "" {
				t.Fatalf("%q is no part of %q", s.Text, rest)
			}
			rest = rest[at+len(s.Text):]
		}
	})
}

func TestLineOf(t *testing.T) {
	s := Statement{Text: "sélect\n a,\n b", line: 5}
	at := func(position int32) error { return fmt.Errorf("in words: %w", &pgconn.PgError{Position: position}) }
	for position, want := range map[int32]int{0: 5, 1: 5, 9: 6, 13: 7, 1000: 7} {
		if got := s.LineOf(at(position)); got != want {
			t.Errorf("position %d is said to be in line %d, not %d", position, got, want)
		}
	}
	if got := s.LineOf(errors.New("broken")); got != 5 {
		t.Errorf("an error without a position is said to be in line %d", got)
	}
}
