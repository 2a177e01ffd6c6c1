package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
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

// busy keeps one session of a database busy until the script ends. It reads a table:
// a server does not report transactions that touched none.
func busy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: busy DATABASE")
	}
	ctx, cancel := context.WithCancel(context.Background())
	config, err := pgx.ParseConfig("host=" + ts.Getenv("SOCKETS") + " port=" + ts.Getenv("PORT") + " user=boss dbname=" + args[0])
	ts.Check(err)
	conn, err := pgx.ConnectConfig(ctx, config)
	ts.Check(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_, _ = conn.Exec(ctx, "SELECT count(*) FROM pg_class, pg_sleep(0.002)")
		}
	}()
	ts.Defer(func() {
		cancel()
		<-done
		_ = conn.Close(context.Background())
	})
}

// TestWatchingIsInterrupted: the facts are shown, the exit code says that it was not
// all, and nothing is said of runs.
func TestWatchingIsInterrupted(t *testing.T) {
	w := newFaultWorld(t)
	w.start("watching", "inspect", "--for", "60s", ".")
	_ = w.cmd.Process.Signal(os.Interrupt)
	w.exits(130)
	said := w.said.String()
	if !strings.Contains(said, "\nstopping: what was seen so far follows\n") || !strings.Contains(said, "This machine\n") || strings.Contains(said, "run in progress") {
		t.Errorf("it says\n%s", said)
	}
	if made, _ := filepath.Glob(filepath.Join(w.dir, "results")); len(made) > 0 || w.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("it made %v, and ended with %v", made, w.cmd.ProcessState)
	}
}
