package cli

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"plinth/internal/driver/pgbench"
	"plinth/internal/metric"
	"plinth/internal/telemetry/credit"
	"plinth/internal/telemetry/emulated"
	"plinth/internal/telemetry/kernel"
	"plinth/internal/telemetry/postgres"
	"plinth/internal/telemetry/redis"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

// TestMetricsDocument checks that docs/metrics.md matches the catalogs.
func TestMetricsDocument(t *testing.T) {
	const path = "../../docs/metrics.md"
	want := metricsDocument()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go test ./internal/cli -run TestMetricsDocument -update regenerates it", path)
	}
}

// TestMetricsAreWhole checks that each name is in the catalogs once, with all that a reader
// needs.
func TestMetricsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	units := map[string]bool{"1": true, "s": true, "s/s": true, "1/s": true, "bytes": true, "bytes/s": true, "MHz": true, "pages": true, "ns": true}
	for _, m := range slices.Concat(kernel.Metrics(), postgres.Metrics(), redis.Metrics(), emulated.Metrics(), credit.Metrics()) {
		if seen[m.Name] {
			t.Errorf("%s is listed twice", m.Name)
		}
		seen[m.Name] = true
		if !units[m.Unit] || m.Kind == "" || m.Source == "" || m.Doc == "" || m.Help == "" {
			t.Errorf("%s is incomplete, or has an unknown unit: %+v", m.Name, m)
		}
		if m.Kind == metric.Rate && !strings.HasSuffix(m.Unit, "/s") && m.Unit != "1" {
			t.Errorf("%s is a rate in %s", m.Name, m.Unit)
		}
	}
	seen = map[string]bool{} // a figure may have the name of its column
	for _, f := range metric.Figures() {
		if seen[f.Name] || !units[f.Unit] || f.Title == "" || f.Help == "" {
			t.Errorf("the figure %s is listed twice, or is incomplete: %+v", f.Name, f)
		}
		seen[f.Name] = true
	}
}

// TestFirstMetrics checks that the catalogs contain the metrics in firstMetrics.
func TestFirstMetrics(t *testing.T) {
	known := map[string]bool{}
	for _, m := range slices.Concat(pgbench.Metrics(), kernel.Metrics(), postgres.Metrics(), redis.Metrics(), emulated.Metrics(), credit.Metrics()) {
		known[m.Name] = true
	}
	for _, f := range firstMetrics {
		if !known[f.name] {
			t.Errorf("no metric %s", f.name)
		}
	}
}

// TestMetricsIndex checks that the index lists each section once, and that names are unique.
func TestMetricsIndex(t *testing.T) {
	text := metricsDocument()
	seen := map[string]bool{}
	for _, head := range headings(text) {
		link := "](#" + anchor(head.name) + ")"
		if seen[link] || strings.Count(text, link) != 1 {
			t.Errorf("%q is %d times in the index", head.name, strings.Count(text, link))
		}
		seen[link] = true
	}
}

func metricsDocument() string {
	rest := metricsSections()
	var b strings.Builder
	b.WriteString(metricsIntroduction)
	b.WriteString("## Where to look first\n\nThe page of a run (`plinth show RECORD --run RUN`) shows all of these columns:\n\n| column | what it shows |\n|---|---|\n")
	for _, f := range firstMetrics {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.name, f.tells)
	}
	b.WriteString("\n## Index\n\n")
	for _, head := range headings(rest) {
		indent := ""
		if head.source {
			indent = "  "
		}
		fmt.Fprintf(&b, "%s- [%s](#%s)\n", indent, head.name, anchor(head.name))
	}
	return b.String() + "\n" + rest
}

// firstMetrics lists the few metrics to check first; they show where others are worth reading.
var firstMetrics = []struct{ name, tells string }{
	{"tps", "when the run was slow: a drop, a stall, a slow start. Read the other columns at that second"},
	{"process.{owner}.cpu", "which processes used the CPUs: the server, the load generator or others. If the load generator used most of the CPU time, the run measured the generator, not the server"},
	{"wait.{type}.{event}", "what sessions waited for: the WAL, a lock, a read"},
	{"wal.sync_latency", "how long a WAL sync takes; each commit waits for one"},
	{"persistence.aof_pending_bio_fsync", "for Redis: whether the disk keeps up with the append-only file. If it does not, see also `info.aof_delayed_fsync`"},
	{"diskstats.{disk}.write_latency", "whether the disk keeps up with the writes; `meminfo.Dirty` shows how much written data is still in the page cache"},
}

// headings returns the sections of a document, in order, without those of its head. Sources are
// subsections.
func headings(text string) (all []section) {
	for line := range strings.Lines(text) {
		name, isSection := strings.CutPrefix(line, "## ")
		source, isSource := strings.CutPrefix(line, "### ")
		if name = strings.TrimSpace(name); isSource {
			name = strings.TrimSpace(source)
		}
		if (isSection || isSource) && name != "Index" && name != "Where to look first" {
			all = append(all, section{name, isSource})
		}
	}
	return all
}

type section struct {
	name   string
	source bool
}

// anchor returns GitHub's anchor for a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

func metricsSections() string {
	var b strings.Builder
	b.WriteString("## The load generator\n\nEvery run with pgbench has these columns. A run of Redis has those that its load generator reports: plinth's own\n" +
		"generator does not report `retries`, `skipped` and `late`; redis-benchmark reports only `tps` and, from version 6.2 on,\n" +
		"`latency_mean_ns`.\n" +
		"Percentiles cover the transactions that ended in each second, and are never averaged.\n\n")
	b.WriteString("| column | unit | what |\n|---|---|---|\n")
	for _, m := range pgbench.Metrics() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, m.Unit, cell(m.Help))
	}
	b.WriteString("\nA mix of scripts also has these columns for each script, such as `script.{script}.tps`.\n")
	writeSources(&b, "The kernel", kernel.Metrics())
	writeSources(&b, "PostgreSQL", postgres.Metrics())
	writeSources(&b, "Redis and Valkey", redis.Metrics())
	writeSources(&b, "Emulated devices", emulated.Metrics())
	writeSources(&b, "CPU credits", credit.Metrics())
	writeFigures(&b)
	return b.String()
}

const metricsIntroduction = "# What plinth observes\n\n" +
	"<!-- Generated from the code by go test ./internal/cli -run TestMetricsDocument -update: edit it there. -->\n\n" +
	"While a load runs, plinth samples the machine and the server once a second, aligned with the seconds of the\n" +
	"load. The readings are in the run's `points.parquet` (see [record.md](record.md)): one row per second, one column per\n" +
	"metric, with the names below. A word in braces is a placeholder: `diskstats.{disk}.reads` stands for\n" +
	"`diskstats.nvme0n1.reads` and `diskstats.nvme1n1.reads`. An unknown value is a gap (null), never a zero; `run.json`\n" +
	"gives the reason. `plinth show RECORD --run RUN` shows a run; with `--format csv`, it prints all columns.\n\n" +
	"| kind | value for each second |\n|---|---|\n" +
	"| gauge | the reading at the end of the second |\n" +
	"| rate | the increase of a counter, per second |\n" +
	"| ratio | the increase of one counter divided by that of another: a mean per operation; null in a second without operations |\n" +
	"| maximum | the largest single value among the operations that ended in the second; null in a second in which none ended |\n\n" +
	"| unit | meaning |\n|---|---|\n" +
	"| `1/s` | events per second |\n" +
	"| `s/s` | seconds per second; for CPU time, the number of CPUs used |\n" +
	"| `s`, `ns` | a time, in seconds or nanoseconds |\n" +
	"| `bytes`, `bytes/s` | bytes; 1 MiB is 1,048,576 bytes |\n" +
	"| `pages` | memory pages, 4 KiB each on most machines |\n" +
	"| `MHz` | a clock frequency |\n" +
	"| `1` | a count, or a share from 0 to 1 |\n" +
	"| share | used only for figures: a ratio, usually from 0 to 1, shown as a percentage |\n\n"

// writeSources writes a table for each source, in the order of their first metric in the catalog.
func writeSources(b *strings.Builder, title string, metrics []metric.Metric) {
	fmt.Fprintf(b, "\n## %s\n", title)
	var heads []string
	tables := map[string]*strings.Builder{}
	docs := map[string]string{}
	for _, m := range metrics {
		source := m.Source
		if doc, there := docs[source]; there && doc != m.Doc {
			source += ": " + m.Doc[strings.LastIndex(m.Doc, ", ")+2:]
		} else {
			docs[source] = m.Doc
		}
		head := fmt.Sprintf("\n### %s\n\nDocumented in: %s.\n\n| column | kind | unit | what |\n|---|---|---|---|\n", source, m.Doc)
		if tables[head] == nil {
			heads, tables[head] = append(heads, head), &strings.Builder{}
		}
		fmt.Fprintf(tables[head], "| `%s` | %s | %s | %s |\n", m.Name, m.Kind, m.Unit, cell(m.Help))
	}
	for _, head := range heads {
		b.WriteString(head + tables[head].String())
	}
}

func writeFigures(b *strings.Builder) {
	b.WriteString("\n## Figures of a run\n\nUnless stated otherwise, a figure is computed from the seconds of the measured window. `run.json` contains the figures under\n" +
		"`figures`. `plinth compare --metric NAME` compares environments by any figure except those that give the time of an event.\n" +
		"A run has only the figures for its server. If a figure has no entry under \"better\", comparisons show its effect and interval,\n" +
		"but give no verdict.\n\n" +
		"| figure | title | unit | better | computation |\n|---|---|---|---|---|\n")
	for _, f := range metric.Figures() {
		unit := f.Unit
		if f.Share {
			unit = "share"
		}
		better := string(f.Better)
		if f.Moment {
			better = "not compared"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Name, cell(f.Title), unit, better, cell(f.Help)+serversOf(f))
	}
}

// serversOf names the servers that have a figure; "" if all do.
func serversOf(f metric.Figure) string {
	if len(f.Servers) == 0 {
		return ""
	}
	return " (" + strings.Join(f.Servers, ", ") + ")"
}

// cell escapes text for a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
