package placing

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/instance"
	"plinth/internal/report/cloud"
)

func (a *app) instancesCommand() *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "instances [NAME|FAMILY...]",
		Short: "Show cloud instances: CPUs, memory, and what bursts for how long",
		Long: `List types of cloud instances (Amazon EC2) with their vCPUs, memory and local drives,
and their limits on EBS volumes and the network: the sustained ones, and those in a
burst. With families, list only those.

With NAME, show all figures of an instance with their sources, how long it exceeds
its sustained limits, and how long its CPU credits last. NAME may also be a class of
a managed database or cache on the same hardware: db.m6i.large, cache.m6g.large.` +
			base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: `  plinth instances
  plinth instances m6i m7g
  plinth instances t3.large
  plinth instances db.r6i.xlarge cache.m6g.large
  plinth instances --format csv > instances.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()))
			if asJSON {
				format = "json"
			}
			all, details, unknown := findInstances(args)
			if err := errors.Join(err, unknown); err != nil {
				return base.Usage(err)
			}
			return base.Usage(cloud.Write(a.Stdout, all, format, cloud.Options{Details: details, Width: a.Width()}))
		},
	}
	base.FormatFlags(cmd, &format, &asJSON)
	cmd.Flags().Lookup("format").Usage = "text, markdown, csv or json"
	return cmd
}

// findInstances returns the instances that the arguments name: all without arguments, those of
// families, and single ones. Details reports whether there is a single one.
func findInstances(args []string) (all []instance.Instance, details bool, err error) {
	if len(args) == 0 {
		return instance.Catalog(), false, nil
	}
	for _, name := range args {
		if family := instance.InFamily(strings.ToLower(name)); len(family) > 0 {
			all = append(all, family...)
			continue
		}
		i, err := instance.Find(name)
		if err != nil {
			return nil, false, err
		}
		all, details = append(all, i), true
	}
	return all, details, nil
}
