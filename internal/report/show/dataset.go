package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// AddDatasets adds the dataset as loaded: one table if all environments agree, otherwise one
// for each, with the differences.
func (s *Numbers) AddDatasets(d *prose.Document) {
	var loaded []Environment
	for _, e := range s.Environments {
		if e.Dataset != nil && (len(e.Dataset.Tables) > 0 || e.Dataset.Rows > 0) {
			loaded = append(loaded, e)
		}
	}
	if len(loaded) == 0 {
		return
	}
	d.Add(prose.Heading("Dataset as loaded"))
	differences := datasetDifferences(loaded)
	switch {
	case !slices.ContainsFunc(loaded, func(e Environment) bool { return len(e.Dataset.Tables) > 0 }): // keys have no tables
	case len(differences) == 0:
		d.Add(datasetTable("", *loaded[0].Dataset))
	default:
		for _, e := range loaded {
			d.Add(datasetTable(e.Name, *e.Dataset))
		}
		d.Add(prose.Paragraph("The datasets are not the same:"), prose.List(phrase.AtMost(differences)))
	}
	var lines prose.List
	for _, e := range loaded {
		lines = append(lines, e.Name+": "+s.datasetLine(*e.Dataset))
	}
	d.Add(lines)
}

func datasetTable(title string, dataset record.Dataset) prose.Table {
	t := prose.Table{Title: title, Columns: []prose.Column{{Title: "Name"}, {Title: "Kind"}, {Title: "Rows", Right: true}, {Title: "Size", Right: true}}}
	shown, rest := largest(dataset.Tables)
	for _, table := range shown {
		rows := phrase.None
		if table.Kind == "table" {
			rows = phrase.Count(float64(table.Rows))
		}
		t.Rows = append(t.Rows, []string{table.Name, table.Kind, rows, phrase.Bytes(table.Bytes)})
	}
	if len(rest) > 0 {
		var sum int64
		for _, table := range rest {
			sum += table.Bytes
		}
		t.Rows = append(t.Rows, []string{phrase.Plural(len(rest), "smaller one"), "", phrase.None, phrase.Bytes(sum)})
	}
	t.Rows = append(t.Rows, []string{"all", "", phrase.Count(float64(dataset.Rows)), phrase.Bytes(dataset.Bytes)})
	return t
}

// largest returns all tables in their order, or if there are many, as with partitions, the
// largest first and the rest separately.
func largest(tables []record.Table) (shown, rest []record.Table) {
	const most = 20
	if len(tables) <= most {
		return tables, nil
	}
	sorted := slices.Clone(tables)
	slices.SortStableFunc(sorted, func(a, b record.Table) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return sorted[:most], sorted[most:]
}

func (s *Numbers) datasetLine(d record.Dataset) string {
	row := s.Words().Row
	parts := []string{phrase.Bytes(d.Bytes)}
	if len(d.Tables) == 0 {
		parts = []string{phrase.Plural(int(d.Rows), row), phrase.Bytes(d.Bytes)}
	}
	if d.SharedBuffers > 0 {
		parts = append(parts, fmt.Sprintf("%s x shared_buffers (%s)", ratio(d.Bytes, d.SharedBuffers), phrase.Bytes(d.SharedBuffers)))
	}
	if d.Memory > 0 {
		parts = append(parts, fmt.Sprintf("%s x memory (%s)", ratio(d.Bytes, d.Memory), phrase.Bytes(d.Memory)))
	}
	if d.Duration > 0 {
		parts = append(parts, fmt.Sprintf("loaded in %s (%s %ss/s)", phrase.Seconds(d.Duration), phrase.Count(d.RowsPerSecond), row))
	}
	return strings.Join(parts, ", ")
}

func ratio(part, whole int64) string {
	r := float64(part) / float64(whole)
	if r < 0.01 {
		return "under 0.01"
	}
	return fmt.Sprintf("%.2f", r)
}

// datasetDifferences compares each dataset with the first one: rows exactly, sizes within 1 %,
// since free space varies between loads.
func datasetDifferences(loaded []Environment) []string {
	var differences []string
	first := loaded[0]
	for _, other := range loaded[1:] {
		for _, name := range tableNames(first.Dataset, other.Dataset) {
			a, hasA := tableOf(first.Dataset, name)
			b, hasB := tableOf(other.Dataset, name)
			switch {
			case !hasA || !hasB:
				with := first.Name
				if hasB {
					with = other.Name
				}
				differences = append(differences, fmt.Sprintf("%s is only in %s", name, with))
			case a.Rows != b.Rows:
				differences = append(differences, fmt.Sprintf("%s has %s in %s, %s in %s", name,
					phrase.Plural(int(a.Rows), "row"), first.Name, phrase.Plural(int(b.Rows), "row"), other.Name))
			case max(a.Bytes, b.Bytes)-min(a.Bytes, b.Bytes) > max(a.Bytes, b.Bytes)/100:
				differences = append(differences, fmt.Sprintf("%s takes %s in %s, %s in %s",
					name, phrase.Bytes(a.Bytes), first.Name, phrase.Bytes(b.Bytes), other.Name))
			}
		}
	}
	return differences
}

func tableNames(datasets ...*record.Dataset) []string {
	var names []string
	for _, d := range datasets {
		for _, table := range d.Tables {
			if !slices.Contains(names, table.Name) {
				names = append(names, table.Name)
			}
		}
	}
	return names
}

func tableOf(d *record.Dataset, name string) (record.Table, bool) {
	for _, table := range d.Tables {
		if table.Name == name {
			return table, true
		}
	}
	return record.Table{}, false
}
