package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
)

const runDir = "runs/disk/tpcb-like/c10-j4/r01"

// TestOpenRefuses damages a good record in one way at a time and expects the error to name the
// file.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no record.json", remove("record.json"), "record.json: no such file"},
		{"empty record.json", write("record.json", ""), "record.json: unexpected end"},
		{"half a record.json", halve("record.json"), "record.json: unexpected end"},
		{"record.json of another kind", write("record.json", `{"schema":"other/v1"}`), `record.json: its schema is "other/v1"`},
		{"record.json without schema", write("record.json", `{}`), "record.json: its schema is"},
		{"record.json is a list", write("record.json", `[]`), "record.json: json: cannot unmarshal"},
		{"text after record.json", replace("record.json", "}\n", "} x\n"), "record.json: invalid character"},
		{"unknown state", replace("record.json", `"running"`, `"asleep"`), `record.json: state is "asleep"`},
		{"a later record", replace("record.json", "plinth/record/v1", "plinth/record/v2"), "record.json: it was written by a newer version of plinth"},
		{"a later record that does not fit", write("record.json", `{"schema":"plinth/record/v2","name":7}`), "record.json: it was written by a newer version of plinth"},
		{"a huge record.json", grow("record.json", 65<<20), "record.json: too large: 68157440 bytes"},
		{"record.json is a directory", becomeDir("record.json"), "record.json: not a regular file"},
		{"record.json is a symlink", become(symlink, "record.json"), "record.json: neither a file"},
		{"record.json is a FIFO", become(fifo, "record.json"), "record.json: neither a file"},
		{"no experiment.yaml", remove("experiment.yaml"), "experiment.yaml: no such file"},
		{"half an environment", halve("environments/disk.json"), "environments/disk.json: unexpected end"},
		{"another environment", replace("environments/disk.json", `"name": "disk"`, `"name": "tape"`), `describes the environment "tape"`},
		{"environment is a symlink", become(symlink, "environments/disk.json"), "environments/disk.json: neither a file"},
		{"environments is a symlink", become(symlink, "environments"), "environments: neither a file"},
		{"no run.json", remove(runDir + "/run.json"), runDir + ": run.json: no such file"},
		{"half a run.json", halve(runDir + "/run.json"), runDir + ": run.json: unexpected end"},
		{"a later run", replace(runDir+"/run.json", "plinth/run/v1", "plinth/run/v9"), "run.json: it was written by a newer version of plinth"},
		{"run of another repeat", replace(runDir+"/run.json", `"repeat": 1`, `"repeat": 2`), "its contents belong to runs/disk/tpcb-like/c10-j4/r02"},
		{"run of another environment", replace(runDir+"/run.json", `"environment": "disk"`, `"environment": "tape"`), "its contents belong to runs/tape"},
		{"run with a path for a name", replace(runDir+"/run.json", `"environment": "disk"`, `"environment": "../disk"`), `"../disk" is not a valid name`},
		{"run with a strange status", replace(runDir+"/run.json", `"valid"`, `"great"`), `status is "great"`},
		{"run with negative clients", replace(runDir+"/run.json", `"clients": 10`, `"clients": -1`), "clients is -1"},
		{"run that is too fast", replace(runDir+"/run.json", `"tps": 1000`, `"tps": 1e300`), "1e+300 is not a valid measurement"},
		{"run number 0", replace(runDir+"/run.json", `"number": 1`, `"number": 0`), "number is 0"},
		{"a huge run.json", grow(runDir+"/run.json", 9<<20), "run.json: too large: 9437184 bytes"},
		{"run.json is a symlink", become(symlink, runDir+"/run.json"), "run.json: neither a file"},
		{"run is a symlink", become(symlink, runDir), runDir + ": neither a file"},
		{"raw is a symlink", become(symlink, runDir+"/raw"), "raw: neither a file"},
		{"raw file is a symlink", become(symlink, runDir+"/raw/summary.txt"), "raw/summary.txt: neither a file"},
		{"raw file is a FIFO", become(fifo, runDir+"/raw/summary.txt"), "raw/summary.txt: neither a file"},
		{"now.json is a symlink", func(t *testing.T, dir string) { must(t, os.Symlink("record.json", filepath.Join(dir, "now.json"))) }, "now.json: neither a file"},
		{"runs is a symlink", become(symlink, "runs"), "runs: neither a file"},
		{"a run moved elsewhere", move(runDir, "runs/disk/tpcb-like/c10-j4/r07"), "its contents belong to " + runDir},
		{"endless directories", deepen(runDir + "/raw"), "too deep"},
		{"many small objects in record.json", write("record.json", `{"schema":"plinth/record/v1","verdicts":[`+strings.Repeat("{},", 600_000)+`{}]}`), "record.json: too large: 1200004 values"},
		{"nested lists in record.json", write("record.json", `{"schema":"plinth/record/v1","x":`+strings.Repeat("[", 100_000)), "record.json: nested too deeply"},
		{"many small objects in run.json", write(runDir+"/run.json", `{"warnings":[`+strings.Repeat("{},", 600_000)+`{}]}`), "run.json: too large: 1200003 values"},
		{"nested lists in an environment", write("environments/disk.json", strings.Repeat("[{", 50)), "environments/disk.json: nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRecord(t, t.TempDir())
			if err := w.WriteEnvironment(record.Environment{Name: "disk"}); err != nil {
				t.Fatal(err)
			}
			commit(t, w, newRun(runID("disk", 1), 1))
			c.damage(t, w.Path())
			_, err := record.Open(w.Path())
			if err == nil {
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v\nwant ... %s", err, c.want)
			}
			if hint.Of(err) == "" {
				t.Errorf("no hint in %v", err)
			}
		})
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

type damage = func(t *testing.T, dir string)

func remove(name string) damage {
	return func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, name))) }
}

func write(name, text string) damage {
	return func(t *testing.T, dir string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
}

func halve(name string) damage {
	return func(t *testing.T, dir string) {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		must(t, os.Truncate(filepath.Join(dir, name), info.Size()/2))
	}
}

func grow(name string, size int64) damage {
	return func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, name), size)) }
}

func replace(name, old, text string) damage {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		must(t, err)
		if !strings.Contains(string(data), old) {
			t.Fatalf("%s has no %s", name, old)
		}
		must(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, text, 1)), 0o644))
	}
}

func becomeDir(name string) damage {
	return func(t *testing.T, dir string) {
		must(t, os.Remove(filepath.Join(dir, name)))
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
}

func move(from, to string) damage {
	return func(t *testing.T, dir string) { must(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to))) }
}

func deepen(name string) damage {
	return func(t *testing.T, dir string) {
		must(t, os.MkdirAll(filepath.Join(dir, name, strings.Repeat("d/", 20)), 0o755))
	}
}

// become replaces name with what special creates. The good file stays beside the record, so that
// a reader that follows symlinks would succeed.
func become(special func(target, path string) error, name string) damage {
	return func(t *testing.T, dir string) {
		aside := filepath.Join(t.TempDir(), "aside")
		must(t, os.Rename(filepath.Join(dir, name), aside))
		must(t, special(aside, filepath.Join(dir, name)))
	}
}

func symlink(target, path string) error { return os.Symlink(target, path) }

func fifo(_, path string) error { return syscall.Mkfifo(path, 0o644) }

func TestOpenPassesOver(t *testing.T) {
	w := newRecord(t, t.TempDir())
	commit(t, w, newRun(runID("disk", 1), 1))
	for _, put := range []damage{
		write("report.html", "<p>"), write("record.json.tmp", "half"),
		write("now.json", "half"), write("now.json.tmp", "half"), write("runs/disk/.DS_Store", "x"),
		write("runs/disk/tpcb-like/c10-j4/notes.txt", "x"),
		replace(runDir+"/run.json", `"number"`, `"colour": "red", "number"`),
	} {
		put(t, w.Path())
	}
	must(t, os.Mkdir(filepath.Join(w.Path(), "runs/disk/tpcb-like/c10-j8"), 0o755)) // plinth died before its rename
	rec, err := record.Open(w.Path())
	if err != nil || len(rec.Runs) != 1 {
		t.Fatalf("%v; want one run", err)
	}
}
