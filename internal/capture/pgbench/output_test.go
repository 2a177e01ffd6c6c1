package pgbench

import (
	"strings"
	"testing"
)

func TestSummaries(t *testing.T) {
	for name, want := range map[string]string{
		"15-aborted.txt":               "15.18 bad.sql 2x1 closed: 233 in 0.01 s = 23502.118217/s, 0.085 +- 0.000 ms, failures 0",
		"15-busy.txt":                  "15.18 select-only 50x1 closed: 85520 in 1.95 s = 43967.162411/s, 0.910 +- 0.691 ms, failures 0",
		"15-closed.txt":                "15.18 tpcb-like 4x2 closed: 15452 in 3.00 s = 5152.768996/s, 0.768 +- 0.353 ms, failures 0",
		"15-connect.txt":               "15.18 select-only 2x2 closed: 100 in 0.25 s = 397.057013/s, 5.037 +- 0.000 ms, failures 0, reconnects",
		"15-detailed.txt":              "15.18 ser.sql 8x2 closed: 848 in 2.00 s = 424.122784/s, 2.415 +- 0.536 ms, failures 2947, retries 2970",
		"15-stamp.txt":                 "15.18 simple-update 2x1 closed: 15231 in 2.00 s = 7627.696687/s, 0.260 +- 0.304 ms, failures 0",
		"15-partitions.txt":            "15.18 tpcb-like 2x1 closed: 100 in 0.03 s = 3701.236213/s, 0.540 +- 0.000 ms, failures 0",
		"16-mix.txt":                   "16.2 multiple scripts 4x2 open: 841 in 3.00 s = 279.964061/s, 14.385 +- 7.144 ms, failures 0, retries 24, skipped 18, late 195, lag 4.635 max 19.872; slow.sql: 632 210.389163/s 16.918 +- 5.586 ms f0 r0 s10; ser.sql: 209 69.574897/s 6.723 +- 5.734 ms f0 r24 s8",
		"17-mix.txt":                   "17.10 multiple scripts 4x2 open: 862 in 3.00 s = 287.340804/s, 14.659 +- 7.124 ms, failures 1, retries 39, skipped 23, late 199, lag 4.887 max 19.963; slow.sql: 630 210.005460/s 17.365 +- 5.576 ms f0 r0 s15; ser.sql: 232 77.335344/s 7.310 +- 5.498 ms f1 r39 s8",
		"18-closed.txt":                "18.4 tpcb-like 4x2 closed: 7092 in 2.99 s = 2368.085737/s, 1.684 +- 3.339 ms, failures 0",
		"18-connect.txt":               "18.4 select-only 2x2 closed: 100 in 0.19 s = 514.906544/s, 3.884 +- 0.000 ms, failures 0, reconnects",
		"18-mix.txt":                   "18.4 multiple scripts 4x2 open: 857 in 3.00 s = 285.398867/s, 14.311 +- 6.671 ms, failures 0, retries 19, skipped 16, late 180, lag 4.264 max 19.725; slow.sql: 669 222.790948/s 16.538 +- 5.143 ms f0 r0 s13; ser.sql: 188 62.607920/s 6.383 +- 5.311 ms f0 r19 s3",
		"written-12.txt":               " multiple scripts 4x2 open: 276 in 1.00 s = 276.167357/s, 14.273 +- 6.616 ms, skipped 2, late 53, lag 4.019 max 18.680; slow.sql: 218 218.432188/s 16.482 +- 5.181 ms f0 r0 s2; select-only: 58 57.587102/s 5.972 +- 4.493 ms f0 r0 s0",
		"written-9.2.txt":              " select-only 8x4 closed: 1203456 in 59.99 s = 20061.901234/s, 0.000 +- 0.000 ms",
		"written-9.4.txt":              " Custom query 2x1 open: 1003 in 10.00 s = 100.298765/s, 2.500 +- 1.052 ms, lag 0.300 max 12.345",
		"written-9.4-transactions.txt": " tpcb-like 10x1 closed: 1000 in 1.15 s = 870.654321/s, 0.000 +- 0.000 ms",
	} {
		run, notes := runOf(t, name)
		if got := shown(&run); got != want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, want)
		}
		wantNote := ""
		if name == "15-aborted.txt" {
			wantNote = "import-cut: the run was aborted, so its results are incomplete: client 1 script 0 aborted in command 1 query 0: ERROR:  division by zero"
		}
		if got := texts(notes); got != wantNote {
			t.Errorf("%s: notes %s", name, got)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, want := range map[string]string{
		"15-partitions.txt": "initial connection time=8.989 ms; maximum number of tries=1; number of transactions per client=50; partition method=hash; partitions=4; query mode=simple; scaling factor=1; transaction type=<builtin: TPC-B (sort of)>",
		"18-mix.txt":        "duration=3 s; initial connection time=4.936 ms; latency limit=20.0 ms; maximum number of tries=3; query mode=simple; scaling factor=1; server=15.18; transaction type=multiple scripts; weight of ser.sql=1; weight of slow.sql=3",
		"18-connect.txt":    "average connection time=2.665 ms; maximum number of tries=1; number of transactions per client=50; query mode=simple; scaling factor=1; server=15.18; transaction type=<builtin: select only>",
		"written-9.2.txt":   "duration=60 s; query mode=prepared; scaling factor=100; tps (including connections establishing)=20056.812345; transaction type=SELECT only",
	} {
		run, _ := runOf(t, name)
		if got := options(&run); got != want {
			t.Errorf("%s: options %s, want %s", name, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	for name, want := range map[string]string{
		"15-closed.txt":   "00:00:03.000 1 tps=5366 latency_mean_ns=737000 pgbench.progress.stddev=0.309 failures=0",
		"15-stamp.txt":    "18:42:02.657 4 tps=6301.6 latency_mean_ns=315000 pgbench.progress.stddev=0.142 failures=0",
		"17-mix.txt":      "00:00:03.000 1 tps=278 latency_mean_ns=1.4102e+07 pgbench.progress.stddev=7.053 failures=0 schedule_lag_mean_ns=4.32e+06 skipped=7 pgbench.progress.retried=6 retries=7",
		"written-9.4.txt": "00:00:10.000 1 tps=101.2 latency_mean_ns=2.487e+06 pgbench.progress.stddev=1 schedule_lag_mean_ns=290000",
	} {
		run, _ := runOf(t, name)
		if got := row(&run.Progress, len(run.Progress.Times)-1); got != want {
			t.Errorf("%s: last row %s, want %s", name, got, want)
		}
	}
	run, _ := runOf(t, "15-stamp.txt")
	if got := run.Began.Time.Format("2006-01-02 15:04:05.000"); got != "2026-11-26 18:42:00.656" || run.Progress.Interval != 1 {
		t.Errorf("began %s, interval %v", got, run.Progress.Interval)
	}
}

func TestStatements(t *testing.T) {
	run, _ := runOf(t, "17-mix.txt")
	if s := run.Result.Statements; len(s) != 5 || s[4].Script != "ser.sql" || s[4].Statement != "END;" || s[4].Mean != 128000 {
		t.Errorf("17: statements %+v", s)
	}
	run, _ = runOf(t, "written-9.4.txt")
	if s := run.Result.Statements; len(s) != 3 || s[2].Script != "file 2" || s[2].Mean != 2.2e6 || s[0].Statement != `\set x 1` || s[0].Mean != 1234 {
		t.Errorf("9.4: statements %+v", s)
	}
	facts := read(t, fixture(t, "17-mix.txt")).Sections[0].Found.Facts
	if len(facts) != 3 || facts[1].Name != "failures of UPDATE pgbench_branches SET bbalance = bbalance + 1;" || facts[1].Value != "1" || facts[2].Value != "39" {
		t.Errorf("17: facts %+v", facts)
	}
}

func TestRefusals(t *testing.T) {
	for name, want := range map[string]string{
		fixture(t, "15-limit.txt"):                              `pgbench failed: connection to server on socket "/tmp/pg/.s.PGSQL.5599" failed: FATAL:  sorry, too many clients already`,
		fixture(t, "15-denied.txt"):                             `pgbench failed: could not open logfile "pgbench_tpcb.4497": Permission denied`,
		fixture(t, "15-usage.txt"):                              "it is pgbench's usage text: pgbench did not run",
		"pgbench: error: connection to server at \"db\" failed": `pgbench failed: connection to server at "db" failed`,
		"bash: line 1: pgbench: command not found\n":            "pgbench did not run: bash: line 1: pgbench: command not found",
		"/bin/sh: 1: pgbench: not found\n":                      "pgbench did not run: /bin/sh: 1: pgbench: not found",
		"starting vacuum...end.\n":                              "the text ends before pgbench's results",
		"pgbench (16.1)\npgbench: error: too many command-line arguments\npgbench: hint: Try \"pgbench --help\" for more information.\n": "pgbench failed: too many command-line arguments",
		"Connection to database \"x\" failed:\nFATAL:  database \"x\" does not exist\n":                                                  `pgbench failed: Connection to database "x" failed: FATAL:  database "x" does not exist`,
		"transaction type: a.sql\nscaling factor: 1\nquery mode: simple\n":                                                               "pgbench's summary ends before its results",
		"transaction type: a.sql\nscaling factor: 1\nduration: 1 s\nnumber of transactions actually processed: 0\n":                      "pgbench processed no transaction",
	} {
		got := read(t, name)
		if len(got.Sections) != 1 || got.Sections[0].Refused == nil || got.Sections[0].Refused.Error() != want || got.Unread != nil {
			t.Errorf("%.60q: %+v, unread %v, want %s", name, got.Sections, got.Unread, want)
		}
	}
}

// TestExcerpts reads what people copy from a terminal.
func TestExcerpts(t *testing.T) {
	for name, c := range map[string]struct{ text, want, notes string }{
		"the end of a summary": {"latency average = 4.375 ms\ntps = 2285.714286 (excluding connections establishing)\n",
			"  0x0 closed: 0 in 0.00 s = 2285.714286/s, 4.375 +- 0.000 ms", ""},
		"a single line": {"tps = 2285.714286 (without initial connection time)\n", "  0x0 closed: 0 in 0.00 s = 2285.714286/s, 0.000 +- 0.000 ms", ""},
		"no statement of what the TPS include": {"number of clients: 10\nlatency average = 4.375 ms\ntps = 2285.714286\n",
			"  10x0 closed: 0 in 0.00 s = 2285.714286/s, 4.375 +- 0.000 ms", "import-unclear: the text does not say whether the TPS include the time for connecting"},
		"decimal commas": {"number of clients: 10\nlatency average = 4,375 ms\ntps = 2285,714286 (without initial connection time)\n",
			"  10x0 closed: 0 in 0.00 s = 2285.714286/s, 4.375 +- 0.000 ms", ""},
		"indented, without the end": {"    number of clients: 10\n    duration: 10 s\n    number of transactions actually processed: 20000\n    latency average = 5.000 ms\n",
			"  10x0 : 20000 in 10.00 s = 0.000000/s, 5.000 +- 0.000 ms", "import-cut: pgbench's summary has no TPS: it is an excerpt or was cut off"},
		"the end of the progress": {"progress: 20.0 s, 10.0 tps, lat 1.000 ms stddev 0.100, 5 failed\nprogress: 25.0 s, 20.0 tps, lat 1.000 ms stddev 0.100, 0 failed\n",
			"  0x0 closed: 0 in 0.00 s = 0.000000/s, 0.000 +- 0.000 ms",
			"import-cut: there is only pgbench's progress, without its summary\nimport-cut: the first lines of progress are missing: the text has it from 20 s on"},
		"-C of a version before 14": {"number of clients: 10\nlatency average = 20.000 ms\ntps = 500.000000 (including connections establishing)\ntps = 1000.000000 (excluding connections establishing)\n",
			"  10x0 closed: 0 in 0.00 s = 1000.000000/s, 20.000 +- 0.000 ms",
			"import-unclear: connecting took 50% of the time: each transaction may have made its own connection (-C)"},
		"progress alone": {"progress: 5.0 s, 988.1 tps, lat 1.012 ms stddev 0.101\n", "  0x0 closed: 0 in 0.00 s = 0.000000/s, 0.000 +- 0.000 ms",
			"import-cut: there is only pgbench's progress, without its summary"},
	} {
		got := read(t, c.text)
		if len(got.Sections) != 1 || got.Sections[0].Refused != nil || got.Unread != nil {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		found := got.Sections[0].Found
		if run := shown(&found.Runs[0]); run != c.want || texts(found.Notes) != c.notes {
			t.Errorf("%s: %s, notes %q", name, run, texts(found.Notes))
		}
	}
}

// TestSeveral divides a text into the outputs of several executions.
func TestSeveral(t *testing.T) {
	one, two := fixture(t, "15-closed.txt"), fixture(t, "18-mix.txt")
	old := fixture(t, "written-9.4.txt")
	at := strings.Index(one, "pgbench (")
	outFirst := one[at:] + one[:at]
	short := "number of clients: 1\ntps = 100.000000 (without initial connection time)\n"
	for name, c := range map[string]struct {
		text string
		tps  []float64
	}{
		"standard error first":       {one + one + two, []float64{5152.768996, 5152.768996, 285.398867}},
		"standard output first":      {outFirst + outFirst, []float64{5152.768996, 5152.768996}},
		"versions without a version": {old + old, []float64{100.298765, 100.298765}},
		"excerpts":                   {short + short + "\n" + short, []float64{100, 100, 100}},
		"a failed one between":       {one + fixture(t, "15-limit.txt") + two, []float64{5152.768996, 0, 285.398867}},
		"in fences":                  {"# A\n\n```\n" + one + "```\ntext\n```text\n" + short + "```\n", []float64{5152.768996, 100}},
		"CRLF":                       {strings.ReplaceAll(one+two, "\n", "\r\n"), []float64{5152.768996, 285.398867}},
	} {
		got := read(t, c.text)
		var tps []float64
		for _, s := range got.Sections {
			value := 0.0
			if s.Refused == nil {
				value = s.Found.Runs[0].Result.TPS
				if notes := texts(s.Found.Notes); notes != "" {
					t.Errorf("%s: notes %s", name, notes)
				}
			}
			tps = append(tps, value)
		}
		if len(tps) != len(c.tps) {
			t.Errorf("%s: TPS %v, want %v", name, tps, c.tps)
			continue
		}
		for i := range tps {
			if tps[i] != c.tps[i] {
				t.Errorf("%s: TPS %v, want %v", name, tps, c.tps)
			}
		}
	}
}

// TestNoise has lines of other programs between those of pgbench.
func TestNoise(t *testing.T) {
	text := "Warning: Permanently added '10.0.0.1' (ECDSA) to the list of known hosts.\n" +
		"starting vacuum...ERROR:  relation \"pgbench_branches\" does not exist\n(ignoring this error and continuing anyway)\nend.\n" +
		"progress: 1.0 s, 988.1 tps, lat 1.012 ms stddev 0.101\nNOTICE:  something\nprogress: 2.0 s, 990.0 tps, lat 1.010 ms stddev 0.100\n" +
		fixture(t, "written-9.2.txt")[len("starting vacuum...end.\n"):]
	got := read(t, text)
	if len(got.Sections) != 1 || len(got.Unread) != 2 || got.Unread[0].Number != 1 || got.Unread[1].Text != "NOTICE:  something" {
		t.Fatalf("%+v", got)
	}
	if run := got.Sections[0].Found.Runs[0]; len(run.Progress.Times) != 2 || run.Result.TPS != 20061.901234 {
		t.Errorf("%+v", run)
	}
}

// TestOtherTexts begins no section in texts that only look similar.
func TestOtherTexts(t *testing.T) {
	for _, text := range []string{
		"We ran pgbench (16.1) with 10 clients and got tps = 2285.7 on average.",
		"number of clients: 10",
		"duration: 60 s",
		"| tps = 12.5 |",
		"progress: 50%",
		"progress: 5.0 s, 988.1 tps",
		"1 2 3 4 5 6\n1 2 3 4 5 6",
		" 1  0      0 1716916 104808 4914396    0    0    34   176  123  456  3  1 96  0  0",
		"0 1 2241 0 1175850568",
		"1345828501 5601 1542744 483552416 2573 61", // minimum above the maximum
		"1700000000 1 2 3 4 5",
		"1700000000 12 50 60 70 80 90 100 110 120",
		"pgbench -c 10 -T 60 postgres",
		"Threads started!\nNumber of threads: 1",
	} {
		if got := read(t, text); len(got.Sections) > 0 {
			t.Errorf("%q begins %s", text, got.Sections[0].Kind)
		}
	}
}
