package console

import (
	"strings"
	"testing"
)

// TestWhyNot checks the reasons why a parameter cannot be set.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	superuser := Console{version: 17, alter: true}
	for _, c := range []struct {
		console Console
		row     row
		want    string // "" if it can be set
	}{
		{superuser, row{Name: "work_mem", Context: "user"}, ""},
		{Console{version: 17, alter: true, refused: true}, row{Name: "work_mem", Context: "user"}, "the server refuses ALTER SYSTEM"},
		{superuser, row{Name: "block_size", Context: "internal"}, "it is fixed"},
		{superuser, row{Name: "port", Context: "postmaster", Source: "command line"}, "command line"},
		{superuser, row{Name: "work_mem", Context: "user", Source: "database user"}, "ALTER DATABASE"},
		{Console{version: 14}, row{Name: "work_mem", Context: "user"}, "superuser is required"},
		{Console{version: 15}, row{Name: "work_mem", Context: "user"}, "GRANT ALTER SYSTEM"},
		{Console{version: 15}, row{Name: "work_mem", Context: "user", Granted: true}, ""},
	} {
		got := c.console.whyNot(c.row)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%+v, %+v: %q, want %q", c.console, c.row, got, c.want)
		}
	}
}
