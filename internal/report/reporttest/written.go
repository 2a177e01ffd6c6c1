package reporttest

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// Written returns a record as `plinth show` writes it.
func Written(t *testing.T, rec *record.Record, format string, opts summary.Options) string {
	t.Helper()
	var b strings.Builder
	if err := summary.Write(&b, rec, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Compared returns a comparison as `plinth compare` writes it.
func Compared(t *testing.T, c *verdict.Comparison, format string, opts summary.Options) string {
	t.Helper()
	var b strings.Builder
	if err := summary.WriteComparison(&b, c, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
