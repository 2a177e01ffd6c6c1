package compare_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"

	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// FuzzComparison checks that any comparison is written without a panic and without control
// sequences.
func FuzzComparison(f *testing.F) {
	for name, c := range comparisons() {
		if data, err := json.Marshal(c); err == nil {
			f.Add(data, 80)
		} else if name != "mixed" { // mixed has values that JSON cannot represent
			f.Fatal(err)
		}
	}
	f.Add([]byte(`{"verdicts": [{}, {"n": -1}], "cells": [{}, {"cell": {}}], "plan": {"looks": [{}]}, "look": {}, "next": {}}`), -1)
	f.Fuzz(func(t *testing.T, data []byte, width int) {
		c := new(verdict.Comparison)
		if json.Unmarshal(data, c) != nil {
			return
		}
		for _, format := range []string{"text", "markdown", "csv"} {
			var b bytes.Buffer
			if err := summary.WriteComparison(&b, c, format, summary.Options{Width: width}); err != nil {
				t.Fatal(err)
			}
			for _, r := range b.String() {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Fatalf("%s holds %q", format, r)
				}
			}
		}
	})
}
