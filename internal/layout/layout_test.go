package layout

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/unit"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%s)", err, hint.Of(err))
	}
}

// today returns what the catalog offers, at today's prices of us-east-1.
func today(t testing.TB) Choice {
	t.Helper()
	book, err := price.Find(price.Today)
	must(t, err)
	region, err := book.Region("us-east-1")
	must(t, err)
	return Choice{Book: book, Region: region}
}

// platform returns the built-in input.
func platform(t testing.TB) Input {
	t.Helper()
	text, err := Builtin("content-platform")
	must(t, err)
	in, err := Parse("content-platform", text)
	must(t, err)
	return in
}

func find(t testing.TB, in Input) *Layout {
	t.Helper()
	l, err := Find(in, today(t))
	must(t, err)
	return l
}

func (l Layout) where(name string) string {
	v, _ := l.volumeOf(name)
	return v.Disk
}

func (l Layout) setting(name, tablespace string) string {
	for _, s := range l.Settings {
		if s.Name == name && s.Tablespace == tablespace {
			return s.Value
		}
	}
	return ""
}

// TestPublishedLayout checks that the published layout comes out of the published input, and which
// differences remain.
func TestPublishedLayout(t *testing.T) {
	l := find(t, platform(t))
	if !l.Meets() || l.Published == nil || l.Plan.Search.Gap != 0 {
		t.Fatalf("violations %v, search %+v", l.Plan.Violations, l.Plan.Search)
	}
	different := map[string]string{"subscriptions": "nvme0", "effective_io_concurrency": "16", "price a month": "$40.00"}
	for _, row := range l.Published.Rows {
		want, differs := different[row.What]
		switch {
		case row.Same == differs:
			t.Errorf("%s: published %q, here %q (%s)", row.What, row.Published, row.Here, row.Why)
		case differs && (row.Here != want || row.Why == ""):
			t.Errorf("%s: here %q, want %q (%s)", row.What, row.Here, want, row.Why)
		}
	}
	if usd := l.Plan.After.Dollars; !usd.Known || math.Abs(usd.USD-40) > 0.001 { // 400 GiB at 80%: 500 x 0.08
		t.Errorf("it costs %+v", usd)
	}
	for _, name := range []string{"data", "qdrant", "wal", "temp", "cold"} {
		if !slices.ContainsFunc(l.Volumes, func(v Volume) bool { return v.Path == "/mnt/"+name }) {
			t.Errorf("there is no volume %s: %+v", name, l.Volumes)
		}
	}
	// 4,346 commits of 2 KiB in 15 min are 7.46 GiB, times 1.9: 14.2.
	for name, want := range map[string]string{"max_wal_size": "15GB", "checkpoint_timeout": "15min", "random_page_cost": "1.1", "temp_file_limit": "10GB", "temp_tablespaces": "temp_files"} {
		if got := l.setting(name, ""); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := l.setting("random_page_cost", "cold"); got != "1.6" { // 0.1 x 125 MiB/s / 8 KiB x 1.02 ms
		t.Errorf("random_page_cost of cold is %q", got)
	}
	for _, want := range []string{"CREATE TABLESPACE cold LOCATION '/mnt/cold/tablespace';", `ALTER TABLE "public"."old_articles" SET TABLESPACE cold;`, "ALTER SYSTEM SET temp_tablespaces = 'temp_files';", "ALTER SYSTEM SET random_page_cost = 1.1;"} {
		if !slices.Contains(l.Statements, want) {
			t.Errorf("%q is not among %q", want, l.Statements)
		}
	}
	if !slices.Contains(l.Commands, "initdb --pgdata=/mnt/data/postgresql --waldir=/mnt/wal/pg_wal") {
		t.Errorf("commands %q", l.Commands)
	}
}

// TestGrowthDecides checks that old_articles stays where there is room, as the file says.
func TestGrowthDecides(t *testing.T) {
	growth := 20 * unit.GiB
	in, err := platform(t).With(Override{Growth: &growth})
	must(t, err)
	if _, all := in.sizes(); all < growth-10 || all > growth+10 {
		t.Errorf("it grows by %s", all)
	}
	if at := find(t, in).where("old_articles"); at != "nvme0" {
		t.Errorf("old_articles is on %s", at)
	}
}

// TestSizeAlone compares a layout of a size and a load with one calculated by hand. Of 500 GiB, 24 GiB
// are cached: 95.2% of 4,000 blocks a second are read, and 800 written: 4,608 at 80% are 5,760 IOPS.
func TestSizeAlone(t *testing.T) {
	l := find(t, Input{Size: 500 * unit.GiB, TPS: 2000, Instance: "m6i.2xlarge"})
	if !l.Meets() {
		t.Fatal(l.Plan.Violations)
	}
	if o := l.Plan.Objects[0]; math.Abs(o.Reads-3808) > 0.1 || math.Abs(o.Writes.Likely-800) > 0.1 {
		t.Errorf("reads %v, writes %v", o.Reads, o.Writes)
	}
	if at := l.where("data"); at != "gp3-provisioned" || l.where("wal") != "gp3-wal" {
		t.Errorf("data is on %s, the WAL on %s", at, l.where("wal"))
	}
	for _, d := range l.Disks {
		if d.Name == "gp3-provisioned" && (d.IOPS != 6000 || d.Size != 630*unit.GiB) {
			t.Errorf("%+v", d)
		}
	}
	// 630 x 0.08 + 3,000 x 0.005, and 10 x 0.08 for the WAL.
	if usd := l.Plan.After.Dollars.USD; math.Abs(usd-66.20) > 0.001 {
		t.Errorf("it costs %v", usd)
	}
	if l.Limit.Where != "gp3-provisioned" || l.Limit.What != "IOPS" || math.Abs(l.Limit.Factor-6000*0.8/4608) > 1e-6 {
		t.Errorf("%+v", l.Limit)
	}
}

// TestLocalDisks checks who is offered local disks, and who gets one of its own.
func TestLocalDisks(t *testing.T) {
	in := Input{Size: 500 * unit.GiB, TPS: 2000, Instance: "i3en.2xlarge"} // two of 2.5 TB
	l := find(t, in)
	if at := l.where("data"); !strings.HasPrefix(at, "gp3") || !strings.Contains(strings.Join(l.Notes, "\n"), "there is no standby") {
		t.Errorf("without a standby, data is on %s; notes %q", at, l.Notes)
	}
	in.Standby = AsyncStandby
	l = find(t, in)
	if l.where("data") != "nvme0" || l.where("wal") != "nvme1" || l.Plan.After.Dollars.USD != 0 || !l.Plan.After.Dollars.Known {
		t.Errorf("data is on %s, the WAL on %s, for %+v", l.where("data"), l.where("wal"), l.Plan.After.Dollars)
	}
	in.Instance = "i3en.xlarge" // one
	if l = find(t, in); l.where("data") != "nvme0" || l.where("wal") != "nvme0" || len(l.Volumes) != 2 {
		t.Errorf("with one disk: %+v", l.Volumes)
	}
	in.Instance = "m6i.2xlarge"
	if l = find(t, in); l.where("data") == "nvme0" || !strings.Contains(strings.Join(l.Notes, "\n"), "m6i.2xlarge has no local disks") {
		t.Errorf("without local disks: %+v, %q", l.Volumes, l.Notes)
	}
}

func TestGroups(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 1}, 3: {2, 1}, 4: {2, 2}, 5: {4, 1}, 6: {4, 2}, 8: {6, 2}} {
		data, wal := 0, 0
		for _, g := range groupsOf(n) {
			if g.data {
				data += g.disks
			}
			if g.wal {
				wal += g.disks
			}
			if _, err := device.RAID(g.level(), g.disks, 0, device.Device{Name: "x"}); g.disks > 1 && err != nil {
				t.Errorf("%d disks: %v", n, err)
			}
		}
		if data != want[0] || wal != want[1] {
			t.Errorf("of %d disks, %d are for data and %d for the WAL, want %v", n, data, wal, want)
		}
	}
}

// TestInstanceLimit: 20,000 lookups a second need more IOPS than an m6i.large sustains (3,600), of which
// 80% may be used.
func TestInstanceLimit(t *testing.T) {
	l := find(t, Input{Size: 500 * unit.GiB, TPS: 20000, Instance: "m6i.large"})
	if l.Meets() || l.Instance == nil || l.Instance.Enough == "" {
		t.Fatalf("violations %v, instance %+v", l.Plan.Violations, l.Instance)
	}
	at := slices.IndexFunc(l.Plan.Violations, func(v placement.Violation) bool { return v.Where == "m6i.large" })
	if at < 0 || math.Abs(l.Plan.Violations[at].Used-l.Instance.UsedIOPS/3600/0.8) > 1e-6 {
		t.Errorf("%v", l.Plan.Violations)
	}
}

// TestCold checks what goes to HDD volumes: large cold tables and backups, never the WAL.
func TestCold(t *testing.T) {
	in := Input{TPS: 1000, Objects: map[string]Object{
		"hot": {Size: 50 * unit.GiB, Reads: 1000, Writes: 100}, "archive": {Size: 2 * unit.TiB, Reads: 0.5}, "small": {Size: 10 * unit.GiB, Reads: 0.5},
	}, Other: map[string]Other{"backups": {Size: 500 * unit.GiB}}}
	l := find(t, in)
	for name, want := range map[string]string{"archive": "sc1", "backups": "sc1", "hot": "gp3", "small": "gp3", "wal": "gp3-wal"} {
		if at := l.where(name); at != want {
			t.Errorf("%s is on %s, want %s", name, at, want)
		}
	}
}

func TestBudget(t *testing.T) {
	l := find(t, Input{Size: 500 * unit.GiB, TPS: 2000, Budget: 10})
	if l.Meets() || !strings.Contains(l.Plan.Nearest, "the least budget that can be met is $") {
		t.Errorf("violations %v, nearest %q", l.Plan.Violations, l.Plan.Nearest)
	}
}

// TestOwnStores checks that HDD volumes of the user do not take the WAL.
func TestOwnStores(t *testing.T) {
	e, err := device.Find("st1")
	must(t, err)
	choice := today(t)
	choice.Stores = []placement.Store{{Name: "slow", Device: e.Device, Capacity: unit.TiB}}
	_, err = Find(Input{Size: 100 * unit.GiB, TPS: 10}, choice)
	if err == nil || !strings.Contains(err.Error(), "no store accepts the WAL") || !strings.Contains(hint.Of(err), "--storage wal=gp3") {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
}

func TestBlockExpress(t *testing.T) {
	for kind, want := range map[string]bool{"r5b.large": true, "r6i.xlarge": true, "m7g.large": true, "i3en.xlarge": false, "m5.large": false, "c6id.large": true, "": false} {
		if takesBlockExpress(kind) != want {
			t.Errorf("%s: %v", kind, !want)
		}
	}
}

// TestEveryObjectIsSomewhere checks that everything is on a volume, once.
func TestEveryObjectIsSomewhere(t *testing.T) {
	l := find(t, platform(t))
	held := map[string]int{}
	for _, v := range l.Volumes {
		for _, name := range v.Holds {
			held[name]++
		}
	}
	if len(held) != len(l.Plan.Objects) {
		t.Errorf("%d of %d objects are on a volume", len(held), len(l.Plan.Objects))
	}
	for name, n := range held {
		if n != 1 {
			t.Errorf("%s is on %d volumes", name, n)
		}
	}
}
