package postgres

import (
	"strconv"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

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
		{"failed parallel query", "[8] ERROR:  could not extend file \"base/5/7\": No space left on device\n" +
			"[9] FATAL:  terminating background worker \"parallel worker\" due to administrator command\n",
			trouble{failed: `ERROR: could not extend file "base/5/7": No space left on device`}},
		{"error", "ERROR:  division by zero\nSTATEMENT:  select 1/0\n", trouble{failed: "ERROR: division by zero"}},
		{"bad file", "LOG:  invalid value for parameter \"work_mem\": \"x\"\nFATAL:  configuration file \"f\" contains errors\n",
			trouble{config: `invalid value for parameter "work_mem": "x"`, fatal: `FATAL: configuration file "f" contains errors`, failed: `FATAL: configuration file "f" contains errors`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := newServerLog()
			for i := range test.text { // byte by byte, as a pipe may deliver it
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
