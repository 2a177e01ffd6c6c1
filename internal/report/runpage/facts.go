package runpage

import (
	"slices"
	"strings"

	"plinth/internal/metric"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// factGroups holds the tables of figures, each with the name prefixes of its figures. Figures
// of the sentence, the CPU table and the wait events are in none.
var factGroups = []struct {
	title    string
	prefixes []string
}{
	{"WAL and checkpoints", []string{"commits-per-flush", "wal-bytes", "wal-write", "wal-sync", "checkpoint"}},
	{"Buffers and memory", []string{"buffers-", "cache-", "heap-", "index-", "dataset-", "dirty-", "memory-", "rows-"}},
	{"Persistence", []string{"aof-", "rdb-", "fork-", "cow-"}},
	{"Keys, memory and the event loop", []string{"keyspace-", "evicted-", "used-memory-", "rss-", "eventloop-", "main-thread-"}},
	{"Replication", []string{"replication-"}},
	{"Processor", []string{"cycles-", "instructions-", "dtlb-misses-", "llc-misses-", "remote-numa-"}},
	{"Disks", []string{"data-disk-", "wal-disk-", "disk-", "io-"}},
}

// elsewhere holds the prefixes of figures that the page shows in another form.
var elsewhere = []string{"tps-", "cpu-", "wait.", "active-sessions"}

// addFacts adds the tables of figures; those without a group are in the last one.
func (p *Page) addFacts(d *prose.Document) {
	left := metric.Figures()
	take := func(prefixes []string) (taken []metric.Figure) {
		left = slices.DeleteFunc(left, func(f metric.Figure) bool {
			fits := hasAnyPrefix(f.Name, prefixes)
			if fits {
				taken = append(taken, f)
			}
			return fits
		})
		return taken
	}
	take(elsewhere)
	for _, group := range factGroups {
		p.addFigures(d, group.title, take(group.prefixes))
	}
	p.addFigures(d, "Other figures", left)
}

func hasAnyPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// addFigures adds a table of the known figures. The names are those that compare --metric
// accepts.
func (p *Page) addFigures(d *prose.Document, title string, figures []metric.Figure) {
	t := prose.Table{Columns: []prose.Column{{Title: "Figure"}, {Title: "Value", Right: true}, {Title: "compare --metric"}}}
	for _, f := range figures {
		value, found := p.figure(f.Name)
		if !found || f.Moment || p.sameDisk(f.Name) {
			continue
		}
		t.Rows = append(t.Rows, []string{p.words.Say(f.Title) + p.moment(f.Name), phrase.Quantity(value, f.Unit, f.Share), f.Name})
	}
	if len(t.Rows) > 0 {
		d.Add(prose.Heading(title), prose.FactTable(t))
	}
}

// moment returns the second at which a figure occurred, " (second 31)"; "" if it has none.
func (p *Page) moment(name string) string {
	if at, found := p.figure(name + "-second"); found {
		return " (second " + phrase.Exact(at) + ")"
	}
	return ""
}

// sameDisk reports whether a figure of the WAL disk repeats that of the data disk, because the
// WAL is on the same disk.
func (p *Page) sameDisk(name string) bool {
	if !strings.HasPrefix(name, "wal-disk-") {
		return false
	}
	data, wal := record.DevicesOf(p.env.Volumes, "data"), record.DevicesOf(p.env.Volumes, "wal")
	return len(wal) == 0 || slices.Equal(data, wal)
}
