package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/hint"
)

// atMostOne and none check the number of arguments of a command.
func atMostOne(cmd *cobra.Command, args []string) error {
	return usage(hint.Wrap(cobra.MaximumNArgs(1)(cmd, args), cmd.UseLine()))
}

func none(cmd *cobra.Command, args []string) error {
	return usage(hint.Wrap(cobra.NoArgs(cmd, args), cmd.UseLine()))
}

// noneEmpty refuses flags with an empty value: most likely a shell variable is not set, and a
// gate with an empty value would pass everything.
func noneEmpty(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		if slices.Contains(values, "") {
			err = hint.Errorf("leave it out, or give a value: is a shell variable not set?", "--%s: the value is empty", f.Name)
		}
	})
	return err
}

// oneFormat refuses --json together with another --format.
func oneFormat(flags *pflag.FlagSet) error {
	asJSON, err := flags.GetBool("json")
	format := flags.Lookup("format")
	if err == nil && asJSON && format != nil && format.Changed && format.Value.String() != "json" {
		return hint.Errorf("choose one of them", "--json and --format %s cannot be used together", format.Value)
	}
	return err
}

func formatFlags(cmd *cobra.Command, format *string, asJSON *bool) {
	cmd.Flags().StringVar(format, "format", "text", "text, markdown or json")
	cmd.Flags().BoolVar(asJSON, "json", false, "same as --format json")
}

// flagHint suggests the flag that was most likely meant.
func flagHint(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return hint.Wrap(err, hint.DidYouMean("--"+unknown.GetSpecifiedName(), names, cmd.CommandPath()+" --help lists them"))
}
