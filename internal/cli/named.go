package cli

import (
	"os"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/decode"
)

// quickstart is the experiment that runs without an argument.
const quickstart = "quickstart"

// loadNamed reads an experiment file, or a built-in experiment if no file of that name exists and the
// name is not a path.
func loadNamed(source string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	if !isFile(source) && !strings.ContainsAny(source, "./") {
		return builtin.Load(source, sets)
	}
	return decode.Load(source, sets)
}

// isFile reports whether a file of that name exists.
func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// redacted returns texts without the passwords of connection strings.
func redacted(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = conninfo.Redact(text)
	}
	return out
}

// overlooked lists the validity rules that are skipped. It is empty except in tests.
var overlooked []string
