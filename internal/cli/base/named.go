package base

import (
	"os"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/decode"
)

// Quickstart is the experiment that runs without an argument.
const Quickstart = "quickstart"

// Load reads an experiment file, or a built-in experiment if no file of that name exists and the
// name is not a path.
func Load(source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	if !IsFile(source) && !strings.ContainsAny(source, "./") {
		return builtin.Load(source, sets)
	}
	return decode.Load(source, sets)
}

// IsFile reports whether a file of that name exists.
func IsFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Redacted returns texts without the passwords of connection strings.
func Redacted(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = conninfo.Redact(text)
	}
	return out
}

// Overlooked lists the validity rules that are skipped. It is empty except in tests.
var Overlooked []string
