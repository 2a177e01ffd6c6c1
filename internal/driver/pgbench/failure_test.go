package pgbench

import (
	"strings"
	"syscall"
	"testing"

	"plinth/internal/host/launch"
)

// TestComplaint has what versions 13 to 18 print when something goes wrong (13 prints fatal
// where later versions print error).
func TestComplaint(t *testing.T) {
	for name, c := range map[string]struct{ stderr, want string }{
		"nothing": {"progress: 1.0 s, 1 tps, x\npgbench: warning: y\n", ""},
		"SQL error": {
			"pgbench: error: client 1 script 0 aborted in command 0 query 0: ERROR:  relation \"x\" does not exist\n" +
				"LINE 1: SELECT * FROM x;\n                      ^\npgbench: error: Run was aborted; the above results are incomplete.\n",
			"client 1 script 0 aborted in command 0 query 0: ERROR:  relation \"x\" does not exist; LINE 1: SELECT * FROM x;"},
		"two threads at once": {
			"pgbench:pgbench: error:  client 0 script 0 aborted in command 0 query 0: ERROR:  relation \"x\" does not exist\n" +
				"LINE 1: SELECT * FROM x;\nerror: client 1 script 0 aborted in command 0 query 0: ERROR:  relation \"x\" does not exist\n" +
				"pgbench: error: Run was aborted; the above results are incomplete.\n",
			"client 0 script 0 aborted in command 0 query 0: ERROR:  relation \"x\" does not exist; LINE 1: SELECT * FROM x;"},
		"detail": {
			"pgbench: error: client 0 script 0 aborted in command 0 query 0: ERROR:  duplicate key\nDETAIL:  Key (a)=(1) already exists.\n",
			"client 0 script 0 aborted in command 0 query 0: ERROR:  duplicate key; DETAIL:  Key (a)=(1) already exists."},
		"server stopped, the guess first": {
			"FATAL:  terminating connection due to administrator command\n" +
				"pgbench: error: client 0 aborted in command 1 (SQL) of script 0; perhaps the backend died while processing\n" +
				"pgbench: error: client 1 script 0 aborted in command 1 query 0: FATAL:  terminating connection due to administrator command\n",
			"client 1 script 0 aborted in command 1 query 0: FATAL:  terminating connection due to administrator command"},
		"server stopped, only the guess": {
			"pgbench: error: client 0 aborted in command 1 (SQL) of script 0; perhaps the backend died while processing\n" +
				"WARNING:  terminating connection due to immediate shutdown command\n",
			"client 0 aborted in command 1 (SQL) of script 0; perhaps the backend died while processing; " +
				"WARNING:  terminating connection due to immediate shutdown command"},
		"cannot connect": {
			"pgbench: error: connection to server on socket \"/s/.s.PGSQL.5432\" failed: Connection refused\n" +
				"\tIs the server running locally and accepting connections on that socket?\npgbench: error: could not create connection for setup\n",
			"connection to server on socket \"/s/.s.PGSQL.5432\" failed: Connection refused"},
		"13": {
			"pgbench: fatal: cannot open script\npgbench: fatal: Run was aborted; the above results are incomplete.\n", "cannot open script"},
	} {
		var got complaint
		for line := range strings.Lines(c.stderr) {
			got.line(strings.TrimRight(line, "\n"))
		}
		if got.String() != c.want {
			t.Errorf("%s: got  %s\nwant %s", name, got.String(), c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	for _, c := range []struct {
		status launch.ExitStatus
		words  string
		want   string
	}{
		{launch.ExitStatus{}, "", ""},
		{launch.ExitStatus{Code: 2}, "client 3 aborted", "cannot finish the run: pgbench: client 3 aborted"},
		{launch.ExitStatus{Code: 2}, "", "cannot finish the run: pgbench ended with exit code 2"},
		{launch.ExitStatus{Code: -1, Signal: syscall.SIGKILL}, "", "cannot finish the run: pgbench was terminated by a signal: killed"},
	} {
		got := ""
		if err := failure(c.status, c.words); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: got %q, want %q", c, got, c.want)
		}
	}
}
