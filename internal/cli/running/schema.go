package running

import (
	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/experiment/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of an experiment file",
		Long: `Print the JSON schema of an experiment file, for editors that complete and check
YAML. It is generated from the definitions with which plinth reads these files.` + base.ExitHelp(base.ExitDone),
		Example: `  plinth schema > plinth.schema.json
  # then, as the first line of an experiment file:
  # yaml-language-server: $schema=plinth.schema.json`,
		Args: base.None,
		RunE: func(*cobra.Command, []string) error {
			schema, err := schema.JSON()
			if err != nil {
				return err
			}
			_, err = a.Stdout.Write(append(schema, '\n'))
			return err
		},
	}
}
