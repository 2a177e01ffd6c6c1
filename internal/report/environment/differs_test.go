package environment

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/unit"
)

func TestToldFirst(t *testing.T) {
	rowsOf := func(names ...string) [][]string {
		var rows [][]string
		for _, name := range names {
			rows = append(rows, []string{name})
		}
		return rows
	}
	for _, c := range []struct{ names, want string }{
		{"data made of|data size|data acts as|data on", "data acts as|data on"},
		{"data made of|work_mem (requested)|memory of the server|neighbour on data", "neighbour on data|memory of the server|work_mem (requested)"},
		{"data filesystem|data acts as|wal_level (requested)|data unsafe options", "wal_level (requested)|data unsafe options|data acts as"},
		{"data made of|data size", "data made of|data size"},
		{"data size|kind", "kind|data size"},
	} {
		var got []string
		for _, row := range notedFirst(rowsOf(strings.Split(c.names, "|")...)) {
			got = append(got, row[0])
		}
		if !slices.Equal(got, strings.Split(c.want, "|")) {
			t.Errorf("of %s: %s, want %s", c.names, strings.Join(got, "|"), c.want)
		}
	}
}

func TestCutAtComma(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"gp3 (write 1.80 ms, read 1.00 ms)", 40, "gp3 (write 1.80 ms, read 1.00 ms)"},
		{"gp3 (write 1.80 ms, read 1.00 ms)", 22, "gp3 (write 1.80 ms, ...)"},
		{"one, two, three", 11, "one, two, ..."},
		{"gp3 (3,000 IOPS)", 10, "gp3 (3,..."}, // the comma of a number does not count
		{"without any", 10, "without..."},
	} {
		if got := cutAtComma(c.text, c.n); got != c.want {
			t.Errorf("%q cut at %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestModelWords(t *testing.T) {
	gp3 := device.Device{Name: "gp3"}
	gp3.Write.Median, gp3.Read.Median = 1_800_000, 1_000_000
	gp3.IOPS.Rate, gp3.Throughput.Rate = 3000, unit.Rate(125<<20)
	const want = "gp3 (write 1.80 ms, read 1.00 ms, 3,000 IOPS, 125MiB/s)"
	if got := modelWords(gp3); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
