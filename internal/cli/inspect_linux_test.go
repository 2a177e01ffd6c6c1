package cli

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"
)

// sql lets the superuser of the script's server run a statement.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err := conn.Exec(context.Background(), args[0])
	ts.Check(err)
}
