package placing

import (
	"fmt"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/report/disk"
)

func (a *app) devicesCommand() *cobra.Command {
	var asJSON, asYAML bool
	cmd := &cobra.Command{
		Use:   "devices [NAME|FILE]",
		Short: "Show device models: figures, sources, where the latency goes",
		Long: `List the devices that plinth can emulate: cloud volumes and local disks. With NAME,
show one device: all figures with their sources, where sources disagree and which
value was chosen, the options, how long a burst lasts, what all of this means for
PostgreSQL, and where the latency goes.

FILE is a model file, such as those that plinth probe writes; its name contains a
slash or ends in .yaml. --yaml prints a device as such a file, as a starting point
for your own.` +
			base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: "  plinth devices\n  plinth devices gp3\n  plinth devices gp3 --yaml > mine.yaml\n  plinth devices ./mine.yaml --json",
		Args:    base.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case asJSON && asYAML:
				return base.Usage(hint.Errorf("choose one of them", "--json and --yaml cannot be used together"))
			case asYAML && len(args) == 0:
				return base.Usage(hint.Errorf("name one: plinth devices gp3 --yaml", "--yaml requires a device"))
			case len(args) == 0:
				return a.devices(asJSON)
			}
			e, err := base.FindDevice(args[0])
			if err != nil {
				return base.Usage(err)
			}
			return a.device(e, asJSON, asYAML)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&asYAML, "yaml", false, "print a device as a model file")
	return cmd
}

func (a *app) devices(asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprint(a.Stdout, disk.Catalog(device.Catalog()).Text(a.Width()))
		return err
	}
	var all []disk.Facts
	for _, e := range device.Catalog() {
		all = append(all, disk.FactsOf(e))
	}
	return a.WriteJSON(all)
}

func (a *app) device(e device.Entry, asJSON, asYAML bool) error {
	var err error
	switch {
	case asJSON:
		return a.WriteJSON(disk.FactsOf(e))
	case asYAML:
		_, err = a.Stdout.Write(e.Device.YAML())
	default:
		_, err = fmt.Fprint(a.Stdout, disk.Device(e).Text(a.Width()))
	}
	return err
}
