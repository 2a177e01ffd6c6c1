package record_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/record"
)

func TestTellAndReadNow(t *testing.T) {
	w := newRecord(t, t.TempDir())
	if now, err := record.ReadNow(w.Path()); err != nil || now != nil {
		t.Errorf("nothing was told: %+v, %v", now, err)
	}
	id := runID("disk", 1)
	for _, now := range []record.Now{
		{At: created, Step: "loading", Environment: "disk", Detail: "accounts, 45 %", Runs: 4},
		{At: created, Step: "driving", Environment: "disk", Cell: &id.Cell, Path: "disk/tpcb-like/c10-j4/r01", Run: 1, Runs: 4, Left: 90},
	} {
		must(t, w.Tell(now))
		if got, err := record.ReadNow(w.Path()); err != nil || !reflect.DeepEqual(got, &now) {
			t.Errorf("now is %+v, %v; want %+v", got, err, now)
		}
	}
	rec, err := record.Open(w.Path())
	if err != nil || len(rec.Runs) != 0 {
		t.Errorf("opened with %v", err)
	}
	must(t, w.Close())
	if entries, err := os.ReadDir(w.Path()); err != nil || len(entries) != 2 { // record.json, experiment.yaml
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestReadNowWithoutWriter checks that the now.json of a killed writer is ignored, and that the
// next writer removes it.
func TestReadNowWithoutWriter(t *testing.T) {
	w := newRecord(t, t.TempDir())
	must(t, w.Close())
	file := filepath.Join(w.Path(), "now.json")
	must(t, os.WriteFile(file, []byte(`{"step":"driving"}`), 0o644))
	must(t, os.WriteFile(file+".tmp", []byte(`{"st`), 0o644))
	if now, err := record.ReadNow(w.Path()); err != nil || now != nil {
		t.Errorf("without a writer: %+v, %v", now, err)
	}
	again, err := record.Reopen(w.Path())
	must(t, err)
	defer closeIt(t, again)
	if now, err := record.ReadNow(w.Path()); err != nil || now != nil {
		t.Errorf("after a resume began: %+v, %v", now, err)
	}
	if _, err := os.Stat(file + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("now.json.tmp: %v", err)
	}
}

func TestReadNowRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage damage
		want   string
	}{
		{"half", halve("now.json"), "now.json: unexpected end"},
		{"a list", write("now.json", "[]"), "now.json: json: cannot unmarshal"},
		{"huge", grow("now.json", 65<<10), "now.json: too large: 66560 bytes"},
		{"a directory", becomeDir("now.json"), "now.json: not a regular file"},
		{"a FIFO", become(fifo, "now.json"), "now.json: not a regular file"},
		{"a symlink out of the record", become(symlink, "now.json"), "path escapes from parent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRecord(t, t.TempDir())
			must(t, w.Tell(record.Now{Step: "driving"}))
			c.damage(t, w.Path())
			if now, err := record.ReadNow(w.Path()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("read %+v, %v; want ... %s", now, err, c.want)
			}
		})
	}
	if _, err := record.ReadNow(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record that is not there: %v", err)
	}
}

// TestTellFails checks that an error names the file and the cause.
func TestTellFails(t *testing.T) {
	w := newRecord(t, t.TempDir())
	must(t, os.MkdirAll(filepath.Join(w.Path(), "now.json", "in", "the", "way"), 0o755))
	if err := w.Tell(record.Now{}); err == nil || !strings.Contains(err.Error(), "cannot write now.json") {
		t.Errorf("error %v", err)
	}
}
