package pgbench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/record"
	"plinth/internal/unit"
)

func builtin(name string) experiment.Workload {
	return experiment.Workload{Name: name, Scripts: []experiment.Script{{Builtin: name, Weight: 1}}}
}

func TestArguments(t *testing.T) {
	base := "-n -c 4 -j 2 -M simple -P 1 -r -l --log-prefix /p/log"
	for _, c := range []struct {
		name   string
		change func(*driver.Job)
		want   string
	}{
		{"a duration", func(*driver.Job) {},
			base + " -b select-only@1 -T 72 host=/s dbname=d"},
		{"transactions, rounded up", func(j *driver.Job) { j.Experiment.Transactions, j.Experiment.Duration = 1001, 0 },
			base + " -b select-only@1 -t 251 host=/s dbname=d"},
		{"more threads than clients", func(j *driver.Job) { j.Cell.Threads = 9 },
			strings.Replace(base, "-j 2", "-j 4", 1) + " -b select-only@1 -T 72 host=/s dbname=d"},
		{"a rate with a limit", func(j *driver.Job) {
			j.Cell.Rate = 0.5
			j.Experiment.LatencyLimit = unit.Duration(1500 * time.Microsecond)
		}, base + " -R 0.5 -L 1.5 -b select-only@1 -T 37 host=/s dbname=d"},
		{"a large rate", func(j *driver.Job) { j.Cell.Rate = 1e6 },
			base + " -R 1000000 -b select-only@1 -T 17 host=/s dbname=d"},
		{"connect each, prepared, tries", func(j *driver.Job) {
			j.Experiment.Connect, j.Experiment.Protocol, j.Experiment.MaxTries = "each", "prepared", 3
		}, strings.Replace(base, "simple", "prepared", 1) + " -C --max-tries 3 -b select-only@1 -T 72 host=/s dbname=d"},
		{"own scripts know the scale", func(j *driver.Job) {
			j.Experiment.Dataset.Scale = 10
			j.Workload.Scripts = []experiment.Script{{SQL: "SELECT :scale;", Weight: 1}}
		}, base + " -f RAW/script-1.sql@1 -D scale=10 -T 72 host=/s dbname=d"},
		{"a scale of one's own", func(j *driver.Job) {
			j.Experiment.Dataset.Scale = 10
			j.Workload.Scripts = []experiment.Script{{SQL: "SELECT :scale;", Weight: 1}}
			j.Workload.Variables = map[string]string{"scale": "3"}
		}, base + " -f RAW/script-1.sql@1 -D scale=3 -T 72 host=/s dbname=d"},
		{"a built-in script finds the scale itself", func(j *driver.Job) { j.Experiment.Dataset.Scale = 10 },
			base + " -b select-only@1 -T 72 host=/s dbname=d"},
		{"a mix with variables", func(j *driver.Job) {
			j.Workload.Scripts = []experiment.Script{{Builtin: "tpcb-like", Weight: 2}, {SQL: "SELECT 1;", Weight: 3}, {SQL: "SELECT 2;\n"}}
			j.Workload.Variables = map[string]string{"z": "1", "a": "two words"}
		}, base + " -b tpcb-like@2 -f RAW/script-2.sql@3 -f RAW/script-3.sql@1 -D a=two words -D z=1 -T 72 host=/s dbname=d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := driver.Job{
				Experiment: &experiment.Experiment{Protocol: "simple", Connect: "once", MaxTries: 1,
					Duration: unit.Duration(10 * time.Second), Warmup: unit.Duration(1500 * time.Millisecond)},
				Workload: builtin("select-only"),
				Cell:     experiment.Cell{Clients: 4, Threads: 2},
				Conninfo: "host=/s dbname=d", Keep: drivertest.In(t, t.TempDir()), Scratch: t.TempDir(),
				Env: launch.Variables{Set: []string{"PGPASSWORD=secret"}},
			}
			c.change(&job)
			scripts, err := scriptOptions(job.Workload, job.Keep)
			if err != nil {
				t.Fatal(err)
			}
			got, err := arguments(job, "15.18", "/p/log", scripts)
			if err != nil {
				t.Fatal(err)
			}
			if line := strings.ReplaceAll(strings.Join(got, " "), drivertest.Of(job).Raw, "RAW"); line != c.want {
				t.Errorf("got  %s\nwant %s", line, c.want)
			}
			if got[len(got)-1] != job.Conninfo {
				t.Errorf("the connection string is not the last argument: %q", got)
			}
		})
	}
}

func TestScriptsAreKept(t *testing.T) {
	keep := drivertest.In(t, t.TempDir())
	w := experiment.Workload{Scripts: []experiment.Script{{SQL: "SELECT 1;"}}}
	if _, err := scriptOptions(w, keep); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(keep.Raw, "script-1.sql")); err != nil || string(text) != "SELECT 1;\n" {
		t.Errorf("%q %v", text, err)
	}
	keep.Raw = filepath.Join(keep.Raw, "none")
	if _, err := scriptOptions(w, keep); err == nil || !strings.HasPrefix(err.Error(), "cannot write script: ") {
		t.Errorf("got %v", err)
	}
}

func TestTriesNeedVersion15(t *testing.T) {
	job := driver.Job{Experiment: &experiment.Experiment{MaxTries: 2}, Cell: experiment.Cell{Clients: 1, Threads: 1}}
	_, err := arguments(job, "14.9", "/p/log", nil)
	if err == nil || err.Error() != "cannot retry transactions: pgbench 14.9 has no --max-tries" || hint.Of(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestScriptLabels(t *testing.T) {
	w := experiment.Workload{Scripts: []experiment.Script{
		{Name: "mine", SQL: "x"}, {Builtin: "tpcb-like"}, {File: "a/b.sql", SQL: "x"}, {SQL: "x"},
	}}
	if got := strings.Join(scriptLabels(w), " "); got != "mine tpcb-like b.sql 4" {
		t.Errorf("got %s", got)
	}
}

// TestKeptCommand has a shell parse the line.
func TestKeptCommand(t *testing.T) {
	keep := drivertest.In(t, t.TempDir())
	want := []string{"/usr/bin/pgbench", "-c", "4", "", "-D", "a=it's $HOME; *", "host=/s dbname=d", "line\nbreak"}
	if err := keepCommand(record.Driver{Program: "pgbench", Version: "15.18", Command: want}, keep); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(keep.Raw, "command.txt"))
	if err != nil {
		t.Fatal(err)
	}
	version, line, _ := strings.Cut(string(text), "\n")
	if version != "# pgbench 15.18" || !strings.HasPrefix(line, "/usr/bin/pgbench -c 4 '' -D ") {
		t.Errorf("%s", text)
	}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, want) {
		t.Errorf("a shell reads %q", got)
	}
}
