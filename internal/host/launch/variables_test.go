package launch

import (
	"slices"
	"strings"
	"testing"
)

// TestVariables: a program gets this process's environment with changes, and only the locale C.
func TestVariables(t *testing.T) {
	t.Setenv("PGHOST", "elsewhere")
	t.Setenv("PGUSER", "loader")
	t.Setenv("LC_NUMERIC", "de_DE")
	t.Setenv("LANG", "de_DE")
	v := Variables{Without: []string{"PGHOST"}, Set: []string{"PGPASSWORD=secret"}}
	got := v.Environ()
	for _, want := range []string{"PGUSER=loader", "LC_ALL=C", "PGPASSWORD=secret"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, pair := range got {
		for _, gone := range []string{"PGHOST=", "LC_NUMERIC=", "LANG="} {
			if strings.HasPrefix(pair, gone) {
				t.Errorf("%s is there", pair)
			}
		}
	}
}
