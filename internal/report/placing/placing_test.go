package placing

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// reading returns a reading of two tables, one of which is busy in the second.
func reading(t *testing.T, second bool) relation.Reading {
	t.Helper()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	l := relation.Reading{
		Schema: relation.Schema, Taken: noon, Since: noon.Add(-time.Hour), SinceKnown: true,
		Server:   relation.Server{Version: "16.2 (Debian)", VersionN: 160002, AllStats: true},
		Database: relation.Database{Name: "app", Tablespace: "pg_default", BlockSize: 8192},
		Writes:   relation.Writes{Timeout: 300}, WAL: relation.WAL{Since: noon.Add(-time.Hour), Most: 1 << 30},
	}
	busy := relation.Relation{
		OID: 1, Kind: relation.Table, Name: relation.Name{Schema: "public", Name: "busy"}, Tablespace: "pg_default", Size: 10 << 30, Rows: 1e8,
	}
	idle := busy
	idle.OID, idle.Name.Name, idle.Size = 2, "idle \x1b[31m", 100<<30
	if second {
		l.Taken = noon.Add(10 * time.Minute)
		busy.Read, busy.Inserted, l.WAL.Syncs, l.WAL.Bytes, l.WAL.Writes = 600_000, 60_000, 60_000, 600<<20, 60_000
		l.Writes.Checkpointer, l.Writes.Checkpoints = 30_000, 2
	}
	l.Relations = []relation.Relation{busy, idle}
	return l
}

func placed(t *testing.T, goal placement.Goal) Placing {
	t.Helper()
	rates, err := relation.Between(reading(t, false), reading(t, true))
	if err != nil {
		t.Fatal(err)
	}
	work := placement.FromRates(rates)
	model := func(name string) device.Device {
		e, err := device.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return e.Device
	}
	stores := []placement.Store{
		{Name: "nvme", Device: model("local-nvme"), Capacity: 100 * unit.GiB, Tablespaces: []string{"pg_default"}, WAL: true},
		{Name: "cold", Device: model("gp3"), Capacity: 500 * unit.GiB},
	}
	price := func(s placement.Store, _ unit.Size) (float64, bool) { return 40, s.Name == "cold" }
	plan, err := placement.Find(work, stores, goal, price)
	if err != nil {
		t.Fatal(err)
	}
	return New(rates, work, &plan, "Prices: of a test.")
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, placed(t, placement.Goal{Objective: placement.LeastTime}), "text", 80); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"Database app on PostgreSQL 16.2, 10 min of statistics up to 2026-05-01 12:10:00", "append-only",
		"Goal: the least device time.", "At present, more is used than is allowed:", "- the capacity of nvme: 139% of what is allowed", "All 16 layouts were compared.", "$40.00 and more", "ALTER TABLE \"public\".\"idle ",
		"ACCESS EXCLUSIVE", "DROP TABLESPACE \"cold\";", "pg_basebackup", "Prices: of a test.", "scaled to the blocks that the server wrote",
		"busy: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("a name controls the terminal")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 80 && !strings.HasPrefix(line, "    ") {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestImpossibleText(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, placed(t, placement.Goal{Objective: placement.LeastDollars, Target: time.Microsecond}), "markdown", 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"No layout meets this goal", "the target for the mean read", "The layout of the least device time has a mean read of"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in it:\n%s", want, b.String())
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, placed(t, placement.Goal{Objective: placement.LeastTime}), "json", 80); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   string `json:"schema"`
		Workload struct {
			Objects []struct {
				Name        string   `json:"name"`
				Temperature string   `json:"temperature"`
				Why         []string `json:"why"`
			} `json:"objects"`
		} `json:"workload"`
		Plan struct {
			Undo  []string `json:"undo"`
			After struct {
				DeviceTime float64 `json:"device_time_s"`
			} `json:"after"`
		} `json:"plan"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != Schema || len(got.Workload.Objects) != 4 || got.Workload.Objects[0].Temperature != "hot" || len(got.Workload.Objects[0].Why) == 0 ||
		len(got.Plan.Undo) != 2 || got.Plan.After.DeviceTime <= 0 {
		t.Errorf("%+v", got)
	}
}

// TestFold checks that partitions that are alike are one row, with their sums, and that no others
// are.
func TestFold(t *testing.T) {
	root := relation.Name{Schema: "public", Name: "log"}
	var all []placement.Placed
	for i := range 9 {
		o := placement.Placed{Object: placement.Object{Kind: relation.Partition, Root: &root, Size: 10, Queried: 2, Writes: placement.Range{Low: 1, Likely: 2, High: 3}}, From: "a", To: "b", After: 1}
		if i < 3 {
			o.To = "a"
		}
		all = append(all, o)
	}
	catalog := placement.Placed{Object: placement.Object{Kind: placement.System, Name: "53 tables of pg_catalog"}}
	got := fold(append(all, placement.Placed{Object: placement.Object{Kind: relation.Table}}, catalog))
	if len(got) != 6 || got[5].Name != "system catalog" || got[3].Name != "6 partitions of log" || got[3].Size != 60 || got[3].Queried != 12 || got[3].Writes != (placement.Range{Low: 6, Likely: 12, High: 18}) || got[3].After != 6 {
		t.Errorf("%+v", got)
	}
}
