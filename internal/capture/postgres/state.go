package postgres

import (
	"slices"

	"plinth/internal/capture"
)

// state makes facts of a row without a time.
func (t *table) state(cells []string) {
	key := t.key(cells)
	prefix := "psql"
	if t.view != nil {
		prefix = t.view.name
	}
	if key != "" {
		prefix += "." + key
	}
	if t.view != nil && t.view.name == "pg_settings" {
		t.setting(prefix, cells)
		return
	}
	for i, cell := range cells {
		if cell == "" || t.view != nil && slices.Contains(t.view.keys, t.names[i]) {
			continue
		}
		name := prefix + "." + t.columns[i]
		if t.view == nil && t.homes[i] != "" {
			name = t.homes[i] + "." + t.names[i]
		}
		t.fact(name, cell)
	}
}

// setting keeps the value of a setting, with its unit if that is another column.
func (t *table) setting(name string, cells []string) {
	value, unit := "", ""
	for i, column := range t.names {
		switch column {
		case "setting":
			value = cells[i]
		case "unit":
			unit = cells[i]
		}
	}
	if unit != "" {
		value += " (" + unit + ")"
	}
	t.fact(name, value)
}

func (t *table) fact(name, value string) {
	fact := capture.Fact{Source: t.source, Name: name, Value: value}
	i, known := t.index[name]
	switch {
	case known:
		t.facts[i] = fact
		t.repeated++
	case len(t.facts) == maxTableFacts:
		t.left++
		return
	default:
		i = len(t.facts)
		t.index[name] = i
		t.facts = append(t.facts, fact)
	}
	t.last = append(t.last, i)
}
