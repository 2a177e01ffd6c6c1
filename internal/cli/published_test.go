package cli

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/cli/base"
	"plinth/internal/experiment/builtin"
	"plinth/internal/published"
)

// TestPublishedCommands checks that the commands of the list of published claims exist, with their
// flags, and that the experiments and records that they name are built-in ones.
func TestPublishedCommands(t *testing.T) {
	list, err := published.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Publications {
		for _, c := range p.Claims {
			words := strings.Fields(c.Redo)[1:]
			cmd, args, err := newRoot(&base.App{}).Find(words)
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			if err != nil {
				t.Errorf("%s: %v", c.Redo, err)
				continue
			}
			name := cmd.Name()
			if args = cmd.Flags().Args(); name != "run" && name != "show" || len(args) == 0 || args[0] == "RECORD" {
				continue
			}
			if !slices.Contains(builtin.Names(), args[0]) {
				t.Errorf("%s: there is no built-in experiment %s", c.Redo, args[0])
			}
		}
	}
}
