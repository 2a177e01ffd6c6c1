package pgbench

import (
	"strings"
	"testing"

	"plinth/internal/capture"
)

func runsOf(t *testing.T, names ...string) (runs []capture.Run) {
	for _, name := range names {
		run, _ := runOf(t, name)
		runs = append(runs, run)
	}
	return runs
}

// TestThreads adds up the logs of two threads, and compares the sum with the summary of the run.
func TestThreads(t *testing.T) {
	for name, want := range map[string]string{
		"15-threads":      "  4x2 closed: 1260 in 4.00 s = 315.092243/s, 12.682 +- 1.908 ms (12.067-39.569), failures 0, skipped 0",
		"15-lag":          "  2x2 open: 175 in 2.94 s = 59.473823/s, 15.408 +- 6.243 ms (12.182-46.260), failures 0, skipped 0, lag 3.180 max 34.131",
		"15-mix":          "  4x2 open: 198 in 2.92 s = 67.885288/s, 9.747 +- 4.404 ms (1.307-15.607), failures 0, retries 2, skipped 0, lag 0.136 max 3.476; script 0: 145 49.713973/s 12.396 +- 0.457 ms f0 r0 s0; script 1: 53 18.171314/s 2.498 +- 0.382 ms f0 r2 s0",
		"15-interval":     "  0x2 closed: 34348 in 4.17 s = 8227.750000/s, 0.483 +- 0.914 ms (0.086-27.916)",
		"18-interval-mix": "  0x2 open: 1160 in 4.00 s = 289.750000/s, 14.214 +- 6.693 ms (1.264-32.507), failures 3, retries 26, skipped 29, lag 4.433 max 19.958",
	} {
		all, err := Threads(runsOf(t, name+".log", name+".log.1"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := shown(&all); got != want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, want)
		}
		summary, _ := runOf(t, name+".txt")
		joined, notes, err := Join(summary, all)
		if err != nil || notes != nil {
			t.Errorf("%s: cannot join: %v %v", name, notes, err)
		}
		r := &joined.Result
		if r.Transactions != summary.Result.Transactions || r.TPS != summary.Result.TPS || r.Latency != all.Result.Latency || joined.Workload != summary.Workload {
			t.Errorf("%s: joined %s", name, shown(&joined))
		}
	}
}

func TestThreadsProgress(t *testing.T) {
	all, err := Threads(runsOf(t, "15-mix.log", "15-mix.log.1"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := row(&all.Progress, len(all.Progress.Times)-1), "18:56:43.000 4 tps=63 latency_mean_ns=9.06663e+06 latency_max_ns=1.5225e+07 failures=0 skipped=0 retries=0 schedule_lag_mean_ns=144524 schedule_lag_max_ns=2.92e+06"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestThreadsRefuses(t *testing.T) {
	summary, _ := runOf(t, "15-mix.txt")
	for want, runs := range map[string][]capture.Run{
		"there is no log":              nil,
		"log 2 is not one of a thread": {runsOf(t, "15-mix.log")[0], summary},
		"logs 1 and 2 are not of the same run: one begins after the other ends": runsOf(t, "15-lag.log", "15-mix.log"),
		"some logs are of transactions, others are aggregated":                  runsOf(t, "15-threads.log", "15-interval.log"),
		"some logs have a schedule lag, others have none":                       runsOf(t, "15-threads.log", "15-mix.log"),
	} {
		if _, err := Threads(runs); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestJoin(t *testing.T) {
	summary, log := runsOf(t, "15-sampled.txt")[0], runsOf(t, "15-sampled.log")[0]
	run, notes, err := Join(summary, log)
	if err != nil || notes != nil || run.Result.Transactions != 2000 || run.Result.Latency.P99 == 0 || run.Options["sampling rate"] != "0.105" {
		t.Errorf("a sample: %s %v %v", shown(&run), notes, err)
	}
	log.Result.Transactions = 5000
	if _, notes, _ = Join(summary, log); texts(notes) != "import-contradiction: the log has 5,000 transactions, but the summary has 2,000" {
		t.Errorf("another count: %v", notes)
	}
	other := runsOf(t, "15-threads.txt")[0]
	if _, notes, _ = Join(other, runsOf(t, "15-threads.log")[0]); texts(notes) != "import-contradiction: the log has 631 transactions, but the summary has 1,260" {
		t.Errorf("one thread of two: %v", notes)
	}
	other.Result.Latency.Mean *= 2
	if all, _ := Threads(runsOf(t, "15-threads.log", "15-threads.log.1")); true {
		if _, notes, _ = Join(other, all); texts(notes) != "import-contradiction: the mean latency of the log is 12.682 ms, but the latency average is 25.364 ms" {
			t.Errorf("another mean: %v", notes)
		}
	}
	mix, err := Threads(runsOf(t, "15-mix.log", "15-mix.log.1"))
	if err != nil {
		t.Fatal(err)
	}
	if run, _, _ = Join(runsOf(t, "15-mix.txt")[0], mix); run.Result.Scripts[1].Name != "ser.sql" || run.Result.Scripts[1].Latency.P50 == 0 {
		t.Errorf("scripts: %+v", run.Result.Scripts)
	}
	for want, with := range map[string]capture.Run{"it is of 4 clients, the log of 9": {Clients: 9}, "its loop is closed, that of the log is open": {Result: runsOf(t, "15-lag.log")[0].Result}} {
		if _, _, err := Join(runsOf(t, "15-threads.txt")[0], with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
