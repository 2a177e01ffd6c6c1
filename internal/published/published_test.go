package published

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/prose"
)

var update = flag.Bool("update", false, "write docs/published.md")

func load(t *testing.T) *List {
	t.Helper()
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDocument checks that docs/published.md matches the list.
func TestDocument(t *testing.T) {
	const path = "../../docs/published.md"
	want := load(t).Markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s does not match the list: go test ./internal/published -update (%v)", path, err)
	}
}

// TestEntriesAreComplete checks that each claim has a known outcome, a command and a result.
func TestEntriesAreComplete(t *testing.T) {
	list := load(t)
	if len(list.Publications) != 5 || list.Measured == "" {
		t.Errorf("%d publications, measured: %q", len(list.Publications), list.Measured)
	}
	for _, p := range list.Publications {
		for _, c := range p.Claims {
			if !slices.Contains(Outcomes(), c.Outcome) || c.Where == "" || c.Claim == "" || c.Found == "" || !strings.HasPrefix(c.Redo, "plinth ") {
				t.Errorf("%s: incomplete: %+v", p.Title, c)
			}
		}
		for _, c := range p.Contradictions {
			if c.Where == "" || c.Why == "" {
				t.Errorf("%s: incomplete: %+v", p.Title, c)
			}
		}
	}
	if list.Count(Confirmed) == 0 || list.Count(Refuted) == 0 {
		t.Errorf("outcomes: %s", list.counts())
	}
}

// TestTextFits checks that the list fits a terminal, except for commands, which are one line each.
func TestTextFits(t *testing.T) {
	for line := range strings.Lines(load(t).Text(80)) {
		if prose.Length(strings.TrimRight(line, "\n")) > 80 && !strings.HasPrefix(line, "      plinth ") {
			t.Errorf("too wide: %q", line)
		}
	}
}

// TestArithmetic repeats the arithmetic of the contradictions, with the published figures.
func TestArithmetic(t *testing.T) {
	// The mean of rows with 1, 10, 25, 50 and 100 clients, weighted by their thread counts.
	mean := func(rows [5]float64) float64 {
		return (rows[0] + 3*(rows[1]+rows[2]+rows[3]+rows[4])) / 13
	}
	for _, row := range []struct {
		name      string
		reads     [5]float64
		meanRead  float64
		writes    [5]float64
		meanWrite float64
	}{
		{"RDS", [5]float64{1677, 13955, 12859, 10397, 10627}, 10724, [5]float64{253, 1881, 2839, 2620, 2585}, 2250},
		{"Aurora I/O-Optimized", [5]float64{2607, 10928, 9265, 8163, 7783}, 8370, [5]float64{285, 984, 1278, 1472, 1623}, 1234},
		{"Aurora Standard", [5]float64{1540, 10020, 9189, 8014, 7665}, 8039, [5]float64{191, 922, 1179, 1384, 1557}, 1162},
		{"local SSD", [5]float64{749, 7675, 6788, 6430, 6092}, 6111, [5]float64{134, 1425, 1560, 1550, 1464}, 1355},
		{"Longhorn 1R", [5]float64{754, 7713, 7311, 6587, 6109}, 6376, [5]float64{119, 940, 1254, 1384, 1453}, 1152},
		{"Longhorn 2R", [5]float64{752, 7655, 7379, 6699, 6063}, 6356, [5]float64{103, 712, 996, 1144, 1269}, 935},
		{"Longhorn 2R, shared", [5]float64{741, 8399, 8279, 7406, 6697}, 7052, [5]float64{97, 681, 957, 1081, 1206}, 892},
	} {
		if off := mean(row.reads)/row.meanRead - 1; off < 0.0115 || off > 0.0425 {
			t.Errorf("%s: the reads are off by %.4f, not 1.2 to 4.2 %%", row.name, off)
		}
		if off := mean(row.writes)/row.meanWrite - 1; off < 0.0135 || off > 0.0295 {
			t.Errorf("%s: the writes are off by %.4f, not 1.4 to 2.9 %%", row.name, off)
		}
	}
	var text strings.Builder
	for _, p := range load(t).Publications {
		for _, c := range p.Contradictions {
			text.WriteString(strings.Join(strings.Fields(c.Why), " ") + "\n")
		}
	}
	for _, c := range []struct {
		says   string // in the list; the number is want
		got    float64
		want   float64
		within float64
	}{
		{"1.4 to 2.9 % above its published write TPS", 1.4, 1.4, 0}, // computed above
		{"1.2 to 4.2 % above its published read TPS", 1.2, 1.2, 0},
		{"1,355 / 935 = 45 %", 1355.0/935 - 1, 0.45, 0.005},
		{"a 52 % advantage", 1355.0/892 - 1, 0.52, 0.005},
		{"15.7 % more than the 7,232", 8370.0/7232 - 1, 0.157, 0.0005},
		{"13.6 % less than Aurora", 1 - 7232.0/8370, 0.136, 0.0005},
		{"20 s at 17,000 and 40 s at 5,000 give 9,000", (20*17000 + 40*5000) / 60.0, 9000, 1},
		{"16 / 7,800 = 2.1 ms", 16 / 7.8, 2.1, 0.06},
		{"16 / 11,400 = 1.4 ms", 16 / 11.4, 1.4, 0.06},
		{"16 / 14,200 = 1.1 ms", 16 / 14.2, 1.1, 0.06},
		{"62,800 are 14.6 % more", 62800.0/54800 - 1, 0.146, 0.0005},
		{"\"+7.9 %\" is relative to 58,200 TPS", 62800.0/58200 - 1, 0.079, 0.0005},
		{"36 s: 66 s", 7500/248.0 + 4500/125.0, 66, 0.5},
		{"20 / 2,537 = 7.9 ms", 20 / 2.537, 7.9, 0.05},
		{"20 / 8,027 = 2.5 ms", 20 / 8.027, 2.5, 0.05},
		{"8.4 s of wal_sync_time at 0.028 ms each are 300,000 syncs", 8.4 / 0.000028, 300000, 1},
		{"58,200 TPS are 17.5 million commits", 58200 * 300 / 1e6, 17.5, 0.05},
		{"58 for each sync", 58200 * 300 / 300000.0, 58, 0.5},
		{"4 GiB and 8 GiB of huge pages, 12 GiB", 4 + 8, 12, 0},
	} {
		if !strings.Contains(text.String(), c.says) {
			t.Errorf("the list does not say %q", c.says)
		}
		if c.got < c.want-c.within || c.got > c.want+c.within {
			t.Errorf("%s: it is %g, not %g", c.says, c.got, c.want)
		}
	}
}
