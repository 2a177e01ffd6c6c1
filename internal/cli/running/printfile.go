package running

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/experiment/builtin"
	"plinth/internal/hint"
	"plinth/internal/record/index"
)

// printFile prints the file of an experiment, comments included.
func (a *app) printFile(args []string, flags *pflag.FlagSet) error {
	others := false
	flags.Visit(func(f *pflag.Flag) { others = others || f.Name != "print" && f.Name != "store" })
	if others {
		return base.Usage(hint.Errorf("edit the printed file, or use --dry-run instead",
			"--print prints the file as it is, and cannot be combined with other flags"))
	}
	source := base.Quickstart
	if len(args) == 1 {
		source = args[0]
	}
	text, err := a.textOf(source)
	if err != nil {
		return base.Usage(err)
	}
	_, err = a.Stdout.Write(text)
	return err
}

func (a *app) textOf(source string) ([]byte, error) {
	if base.IsFile(source) || strings.ContainsAny(source, "./") {
		text, err := os.ReadFile(source)
		if err != nil {
			err = hint.Errorf("plinth list shows the built-in experiments", "cannot print the experiment: %w", err)
		}
		return text, err
	}
	text, err := builtin.Text(source)
	if path, found := index.Find(a.Store, source); err != nil && found == nil {
		return nil, hint.Errorf("its experiment is "+filepath.Join(path, "experiment.yaml"), "%s is a record, not an experiment", source)
	}
	return text, err
}
