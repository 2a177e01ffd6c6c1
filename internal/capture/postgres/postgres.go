// Package postgres reads what PostgreSQL and the scripts around it print: tables of psql, CSV files of
// samples, wait events, and the server's log.
package postgres

import (
	"fmt"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns the formats that the package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{
		{Name: "postgres-log", Title: "log of PostgreSQL", Begins: beginsLog, New: func() capture.Reader { return &serverLog{} }},
		{Name: "postgres-csvlog", Title: "CSV log of PostgreSQL", Begins: beginsCSVLog, New: func() capture.Reader { return &csvLog{} }},
		{Name: "postgres-jsonlog", Title: "JSON log of PostgreSQL", Begins: beginsJSONLog, New: func() capture.Reader { return &jsonLog{} }},
		{Name: "postgres-waits", Title: "samples of wait events", Begins: beginsWaits, New: func() capture.Reader { return newWaits() }},
		{Name: "psql", Title: "output of psql", Begins: beginsPsql, New: func() capture.Reader { return &psql{} }},
		{Name: "postgres-csv", Title: "CSV file of samples of PostgreSQL", Begins: beginsCSV, New: func() capture.Reader { return &csvSamples{} }},
	}
}

func note(rule, format string, values ...any) record.Note {
	return record.Note{Rule: rule, Text: fmt.Sprintf(format, values...)}
}

func cutOff(what string) record.Note {
	return note(capture.Cut, "the text ends within the last %s, which is left out", what)
}
