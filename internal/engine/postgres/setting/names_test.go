package setting

import (
	"slices"
	"testing"
)

func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        []string
	}{
		{"Shared_Preload_Libraries", `pg_stat_statements, "auto_explain"`, []string{"pg_stat_statements", "auto_explain"}},
		{"search_path", `"$user",public`, []string{"$user", "public"}},
		{"log_line_prefix", "%m, %p", []string{"%m, %p"}},
	} {
		if got := Literals(c.name, c.value); !slices.Equal(got, c.want) {
			t.Errorf("%s = %s: %q, want %q", c.name, c.value, got, c.want)
		}
	}
}
