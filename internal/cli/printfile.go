package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"plinth/internal/experiment/builtin"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// printFile prints the file of an experiment, comments included.
func (a *runningApp) printFile(args []string, flags *pflag.FlagSet) error {
	others := false
	flags.Visit(func(f *pflag.Flag) { others = others || f.Name != "print" && f.Name != "store" })
	if others {
		return usage(hint.Errorf("edit the printed file, or use --dry-run instead",
			"--print prints the file as it is, and cannot be combined with other flags"))
	}
	source := quickstart
	if len(args) == 1 {
		source = args[0]
	}
	text, err := a.textOf(source)
	if err != nil {
		return usage(err)
	}
	_, err = a.stdout.Write(text)
	return err
}

func (a *runningApp) textOf(source string) ([]byte, error) {
	if isFile(source) || strings.ContainsAny(source, "./") {
		text, err := os.ReadFile(source)
		if err != nil {
			err = hint.Errorf("plinth list shows the built-in experiments", "cannot print the experiment: %w", err)
		}
		return text, err
	}
	text, err := builtin.Text(source)
	if path, found := record.Find(a.store, source); err != nil && found == nil {
		return nil, hint.Errorf("its experiment is "+filepath.Join(path, "experiment.yaml"), "%s is a record, not an experiment", source)
	}
	return text, err
}
