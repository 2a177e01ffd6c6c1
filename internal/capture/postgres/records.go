package postgres

import (
	"slices"
	"strings"

	"plinth/internal/capture"
)

// field reads a line of a record.
func (p *psql) field(text string) bool {
	if recordLine.MatchString(text) {
		if !p.reading && !p.stamped {
			return false // another query
		}
		p.endRecord()
		p.reading = true
		return true
	}
	name, value, ok := strings.Cut(text, "|")
	if !p.reading || !ok || strings.HasPrefix(name, " ") {
		if strings.TrimSpace(text) == "" {
			p.endRecord()
			p.reading = false
		}
		return false
	}
	name = strings.TrimSpace(name)
	if slices.Contains(p.names, name) || len(p.names) == maxColumns {
		return false
	}
	p.names, p.record = append(p.names, name), append(p.record, strings.TrimSpace(value))
	return true
}

// endRecord takes the record that has been read. All have the columns of the first.
func (p *psql) endRecord() {
	if len(p.names) == 0 {
		return
	}
	if p.table == nil {
		p.table = newTable("psql", p.names)
	}
	same := slices.Equal(p.names, p.table.columns)
	if taken := same && p.table.row(p.record, p.at); !taken && len(p.notes) < 10 {
		p.notes = append(p.notes, note(capture.LeftOut, "a record with other columns than the first is left out"))
	}
	p.names, p.record = nil, nil
}
