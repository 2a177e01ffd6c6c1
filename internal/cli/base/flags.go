package base

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// AtMostOne refuses more than one argument.
func AtMostOne(cmd *cobra.Command, args []string) error {
	return Usage(hint.Wrap(cobra.MaximumNArgs(1)(cmd, args), cmd.UseLine()))
}

// None refuses arguments.
func None(cmd *cobra.Command, args []string) error {
	return Usage(hint.Wrap(cobra.NoArgs(cmd, args), cmd.UseLine()))
}

// NoneEmpty refuses flags with an empty value: most likely a shell variable is not set, and a
// gate with an empty value would pass everything.
func NoneEmpty(flags *pflag.FlagSet) error {
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

// OneFormat refuses --json together with another --format.
func OneFormat(flags *pflag.FlagSet) error {
	asJSON, err := flags.GetBool("json")
	format := flags.Lookup("format")
	if err == nil && asJSON && format != nil && format.Changed && format.Value.String() != "json" {
		return hint.Errorf("choose one of them", "--json and --format %s cannot be used together", format.Value)
	}
	return err
}

// FormatFlags adds --format and --json.
func FormatFlags(cmd *cobra.Command, format *string, asJSON *bool) {
	cmd.Flags().StringVar(format, "format", "text", "text, markdown or json")
	cmd.Flags().BoolVar(asJSON, "json", false, "same as --format json")
}

const watchHint = "use whole seconds, from 1s to 24h"

// WatchLength parses how long to watch; 0 means not at all.
func WatchLength(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if whole, err := strconv.ParseUint(text, 10, 32); err == nil {
		return 0, hint.Errorf(fmt.Sprintf("write --for %ds, or --for %dm", whole, whole), "--for: %q has no unit", text)
	}
	length, err := unit.ParseDuration(text)
	if err != nil {
		return 0, hint.Wrap(fmt.Errorf("--for: %w", err), watchHint)
	}
	if d := length.Std(); d >= time.Second && d <= 24*time.Hour && d%time.Second == 0 {
		return d, nil
	}
	return 0, hint.Errorf(watchHint, "cannot watch for %s", length)
}

// WritesDirectory annotates commands that write a directory, with the name of the flag with which they do; "" if they always do.
const WritesDirectory = "writes a directory"
