// Package trial writes the experiment that drives layouts of a database on emulated devices, with
// tables, indexes and statements of the shape that its statistics have: sizes, rows, reads, misses,
// changes. It holds no data of the database, only names.
package trial

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/placement"
	"plinth/internal/stats"
	"plinth/internal/unit"
)

// Layout is a layout to drive.
type Layout struct {
	Name string // of the environment
	Says string // what it is, in words
	// At is the store of each object, by the object's name.
	At map[string]string
}

// Layouts returns the present layout and the one that a plan proposes. The error says why there are
// not two.
func Layouts(plan placement.Plan) ([]Layout, error) {
	before, after := map[string]string{}, map[string]string{}
	differ := false
	for _, o := range plan.Objects {
		if o.From == "" {
			return nil, fmt.Errorf("it is not known where %s is now", o.Name)
		}
		before[o.Name], after[o.Name] = o.From, o.To
		differ = differ || o.From != o.To
	}
	if !differ {
		return nil, errors.New("the layout is the present one")
	}
	return []Layout{{"before", "the present layout", before}, {"after", "the proposed layout", after}}, nil
}

// All returns the proposed layout and its alternatives.
func All(w placement.Workload, stores []placement.Store, plan placement.Plan) []Layout {
	proposed := Layout{"proposed", "the proposed layout", map[string]string{}}
	for _, o := range plan.Objects {
		proposed.At[o.Name] = o.To
	}
	all := []Layout{proposed}
	for _, a := range placement.Alternatives(w, stores, plan) {
		all = append(all, Layout{experiment.AsName(a.Name), a.Says, a.Layout})
	}
	return all
}

// Sizes of the experiment: little enough to be loaded into several environments in a few minutes,
// and more than the memory of the server, so that reads of cold rows reach the devices.
const (
	dataSize   = 512 * unit.MiB
	bufferSize = 32 * unit.MiB // shared_buffers
	memory     = 160 * unit.MiB
	walSize    = unit.GiB // max_wal_size
	clients    = 4        // few, so that the latencies of the devices decide, and not their limits
	threads    = 2
	duration   = 20 * time.Second
	warmup     = 3 * time.Second
	alpha      = 0.05
)

// File returns the experiment for layouts over stores. The first layout is the baseline.
func File(rates relation.Rates, stores []placement.Store, layouts []Layout) ([]byte, error) {
	if len(layouts) < 2 {
		return nil, errors.New("there is only one layout")
	}
	shape := shapeOf(rates)
	if len(shape.tables) == 0 {
		return nil, errors.New("the statistics list no table with rows")
	}
	scripts, notes := shape.scripts()
	if len(scripts) == 0 {
		return nil, errors.New("nothing was read or changed between the readings")
	}
	var b strings.Builder
	comment(&b, rates, shape, append(shape.notes, notes...))
	fmt.Fprintf(&b, "name: %s\n", Name(rates))
	fmt.Fprintf(&b, "question: Is the proposed layout faster than %s?\n", others(layouts))
	fmt.Fprintf(&b, "dataset: {scale: 0}\nclients: %d\nthreads: %d\nduration: %s\nwarmup: %s\n", clients, threads, duration, warmup)
	repeats := stats.Fewest(alpha, len(layouts)-1)
	fmt.Fprintf(&b, "repeats: %d # the fewest that can decide %s\n", repeats, unit.Count(len(layouts)-1, "comparison"))
	fmt.Fprintf(&b, "settings: {shared_buffers: %dMB, max_wal_size: %dMB, work_mem: 1MB, max_parallel_workers_per_gather: 0}\n\n",
		bufferSize/unit.MiB, walSize/unit.MiB)
	workload(&b, shape, scripts)
	if err := environments(&b, shape, stores, layouts); err != nil {
		return nil, err
	}
	text := []byte(b.String())
	if _, _, err := decode.Parse("the experiment", text, "", nil); err != nil {
		return nil, err
	}
	return text, nil
}

// Name returns the name of the experiment for a database: "place-content".
func Name(rates relation.Rates) string {
	return experiment.AsName("place-" + rates.Reading.Database.Name)
}

func others(layouts []Layout) string {
	if len(layouts) == 2 {
		return layouts[0].Says
	}
	return fmt.Sprintf("%d others", len(layouts)-1)
}

func comment(b *strings.Builder, rates relation.Rates, s shape, notes []string) {
	lines := []string{
		fmt.Sprintf("Layouts of database %s, on emulated devices: tables of the same shape, %s, under the mix of", rates.Reading.Database.Name, times(s.scale)),
		fmt.Sprintf("reads and changes that its statistics had up to %s. Each client runs", rates.To.UTC().Format("2006-01-02 15:04:05 UTC")),
		"one statement after the other; a row is either one of the few that stay in memory or any row of its table, in the",
		"proportion of the blocks that were found in shared_buffers and those that were not.",
	}
	for _, note := range notes {
		lines = append(lines, "- "+note)
	}
	for _, line := range lines {
		fmt.Fprintf(b, "# %s\n", strings.Map(printable, line))
	}
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// times words a factor: "at 1/200 of their sizes".
func times(scale float64) string {
	switch {
	case scale > 1.05:
		return fmt.Sprintf("at %.3g times their sizes", scale)
	case scale > 0.95:
		return "of the same sizes"
	}
	return fmt.Sprintf("at 1/%.3g of their sizes", 1/scale)
}

func workload(b *strings.Builder, s shape, scripts []script) {
	b.WriteString("workloads:\n  - name: mix\n    scripts:\n")
	for _, one := range scripts {
		fmt.Fprintf(b, "      - name: %s\n        weight: %d\n        sql: |\n%s", one.name, one.weight, indent(one.sql, 10))
	}
	fmt.Fprintf(b, "    # place creates an object in the tablespace that the environment's settings give it.\n    init:\n      sql: |\n%s\n", indent(s.create(), 8))
}

// environments writes an environment for each layout. The data directory is on the store that has the
// WAL, so that both share its device as they do there; the other stores are tablespaces.
func environments(b *strings.Builder, s shape, stores []placement.Store, layouts []Layout) error {
	b.WriteString("environments:\n")
	for _, l := range layouts {
		fmt.Fprintf(b, "  # %s\n  %s:\n    storage:\n", strings.Map(printable, l.Says), l.Name)
		wal := l.At[placement.WAL]
		used := map[string]bool{}
		for _, o := range s.objects() {
			used[l.At[o.of]] = true
		}
		if s.temp > 0 {
			used[l.At[placement.Temp]] = true
		}
		var spaces []placement.Store
		for _, store := range stores {
			switch {
			case store.Name == wal:
				text, err := volume(store, 3*dataSize+2*walSize)
				if err != nil {
					return err
				}
				fmt.Fprintf(b, "      data: %s\n", text)
			case used[store.Name]:
				spaces = append(spaces, store)
			}
		}
		if wal == "" {
			return errors.New("the layout has no place for the WAL")
		}
		if err := tablespaces(b, spaces); err != nil {
			return err
		}
		b.WriteString("    settings:\n")
		for _, o := range s.objects() {
			fmt.Fprintf(b, "      layout.%s: %s\n", o.label, space(l.At[o.of], wal))
		}
		if at := l.At[placement.Temp]; s.temp > 0 && at != wal {
			fmt.Fprintf(b, "      temp_tablespaces: %s\n", space(at, wal))
		}
		fmt.Fprintf(b, "    limits: {memory: %dMiB}\n", memory/unit.MiB)
	}
	fmt.Fprintf(b, "baseline: %s\n", layouts[0].Name)
	return nil
}

func tablespaces(b *strings.Builder, stores []placement.Store) error {
	if len(stores) == 0 {
		return nil
	}
	b.WriteString("      tablespaces:\n")
	for _, store := range stores {
		text, err := volume(store, 3*dataSize)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "        %s: %s\n", space(store.Name, ""), text)
	}
	return nil
}

// space returns the tablespace of a store.
func space(store, wal string) string {
	if store == wal || store == "" {
		return "pg_default"
	}
	return "on_" + identifier(store)
}

func indent(text string, spaces int) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", spaces))
		}
		b.WriteString(line)
	}
	return b.String()
}

// identifier returns a name that PostgreSQL accepts without quotes, if something stands before it.
func identifier(name string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(experiment.AsName(name))
}
