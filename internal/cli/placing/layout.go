package placing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/layout"
	"plinth/internal/placement"
	"plinth/internal/report/layouts"
	"plinth/internal/report/output"
	"plinth/internal/unit"
)

const layoutExamples = `  plinth layout --size 500GiB --tps 2000 --instance m6i.2xlarge
  plinth layout --size 2TiB --tps 20000 --growth 100GiB --instance i4i.8xlarge --standby async --target 500us
  plinth layout content-platform
  plinth layout content-platform --yaml > mine.yaml
  plinth layout mine.yaml --budget 300 --why`

const layoutHelp = `Recommend storage for a database that does not exist yet: volumes, arrays,
filesystems, mount options and settings, with the expected load of each disk against its
limits, its price, what limits it first, and what the next step costs. For an existing
database, see plinth place.

FILE describes the database: its tables and indexes with their sizes, reads, writes and
growth, the WAL, temporary files, what else shares the storage, the machine and the goal
(docs/layout.md). --yaml prints one to start from; flags override its values.
NAME is a layout that is part of plinth: content-platform, which is compared with what
was published. Without a file, --size and --tps are enough.

Without --storage, plinth chooses among the local disks of the instance, if there is a
standby (they do not outlive their host); gp3 with as many IOPS as the load needs, alone
and as RAID 10 (RAID 0 with a standby); io2, or io2 Block Express where the instance reaches
it; st1 and sc1 for what is cold and large. --storage NAME=DEVICE[,SIZE][,...] is that of
plinth place.

The layout is the cheapest that carries the load, and with --target the cheapest whose mean
read and whose durable write of the WAL take no longer. With --budget it is that of the
least device time within the budget.`

type layoutFlags struct {
	size, growth, readShare, instance, standby, target, prices, region string

	tps, budget float64
	months      int
	stores      []string
	yaml, why   bool
	format      string
	json        bool
}

func (a *app) layoutCommand() *cobra.Command {
	var flags layoutFlags
	cmd := &cobra.Command{
		Use:     "layout [FILE|NAME]",
		Short:   "Recommend storage for a database that does not exist yet",
		Long:    layoutHelp + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: layoutExamples,
		Args:    base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			if flags.json {
				flags.format = "json"
			}
			if err := output.Check(flags.format, layouts.Formats); err != nil {
				return base.Usage(err)
			}
			return base.Usage(a.layout(args, cmd.Flags(), flags))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.size, "size", "", "`SIZE` of all tables and indexes: 500GiB")
	f.Float64Var(&flags.tps, "tps", 0, "transactions a second")
	f.StringVar(&flags.readShare, "read-share", "", "`SHARE` of the transactions that only read (default: 80%)")
	f.StringVar(&flags.growth, "growth", "", "`SIZE` by which tables and indexes grow in a month: 10GiB")
	f.IntVar(&flags.months, "months", 0, "the `MONTHS` that the volumes must last (default: 12)")
	f.StringVar(&flags.instance, "instance", "", "`TYPE` of the machine, as in plinth instances")
	f.StringVar(&flags.standby, "standby", "", "a copy on another machine: none, async or sync (default: none)")
	f.Float64Var(&flags.budget, "budget", 0, "the most `DOLLARS` a month for storage")
	f.StringVar(&flags.target, "target", "", "the longest `TIME` of a mean read and of a durable write of the WAL: 300us")
	f.StringArrayVar(&flags.stores, "storage", nil, "a storage to choose from: `NAME=DEVICE`[,SIZE][,...]; repeat for more")
	f.StringVar(&flags.prices, "prices", "", "use the prices in `FILE` instead of the built-in price book")
	f.StringVar(&flags.region, "region", "", "`REGION` of the prices (default: the only one of the book, or us-east-1)")
	f.BoolVar(&flags.yaml, "yaml", false, "print the complete input file")
	f.BoolVar(&flags.why, "why", false, "add the rules that apply, each with its source")
	base.FormatFlags(cmd, &flags.format, &flags.json)
	return cmd
}

func (a *app) layout(args []string, set *pflag.FlagSet, flags layoutFlags) error {
	text, in, err := layoutInput(args)
	if err != nil {
		return err
	}
	other, changed, err := flags.override(set)
	switch {
	case err != nil:
		return err
	case flags.yaml && flags.format != "text":
		return hint.Errorf("choose one of them", "--yaml and --format %s cannot be used together", flags.format)
	}
	if flags.yaml && len(args) == 1 && !changed {
		_, err := a.Stdout.Write(text) // with its comments
		return err
	}
	if in, err = in.With(other); err != nil {
		return err
	}
	if flags.yaml {
		if text, err = in.Text(); err == nil {
			_, err = a.Stdout.Write(text)
		}
		return err
	}
	choice, note, err := flags.choice()
	if err != nil {
		return err
	}
	l, err := layout.Find(in, choice)
	if err != nil {
		return err
	}
	return layouts.Write(a.Stdout, layouts.New(l, note, flags.why), flags.format, a.Width())
}

// layoutInput reads a file, or returns an input that is part of the program; without an argument, an
// empty one.
func layoutInput(args []string) ([]byte, layout.Input, error) {
	if len(args) == 0 {
		return nil, layout.Input{}, nil
	}
	name := args[0]
	var text []byte
	var err error
	if base.IsFile(name) || strings.ContainsAny(name, "./") {
		if text, err = readLayout(name); err != nil {
			return nil, layout.Input{}, fmt.Errorf("cannot read the layout file: %w", err)
		}
	} else if text, err = layout.Builtin(name); err != nil {
		return nil, layout.Input{}, err
	}
	in, err := layout.Parse(name, text)
	return text, in, err
}

// readLayout reads at most one byte more than a layout file may have.
func readLayout(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, layout.MostFile+1))
}

// override returns what the flags say in place of the file, and whether they say anything.
func (f layoutFlags) override(set *pflag.FlagSet) (o layout.Override, changed bool, err error) {
	size, growth, share, target := new(unit.Size), new(unit.Size), new(layout.Share), new(unit.Duration)
	for _, one := range []struct {
		name  string
		parse func() error
	}{
		{"size", func() error { o.Size = size; return positive(size, size.UnmarshalText([]byte(f.size))) }},
		{"growth", func() error { o.Growth = growth; return growth.UnmarshalText([]byte(f.growth)) }},
		{"read-share", func() error { o.ReadShare = share; return share.UnmarshalText([]byte(f.readShare)) }},
		{"target", func() error { o.Target = target; return positive(target, target.UnmarshalText([]byte(f.target))) }},
		{"tps", func() error { o.TPS = &f.tps; return positive(&f.tps, nil) }},
		{"budget", func() error { o.Budget = &f.budget; return positive(&f.budget, nil) }},
		{"months", func() error { o.Months = &f.months; return positive(&f.months, nil) }},
		{"instance", func() error { o.Instance = &f.instance; return nil }},
		{"standby", func() error { o.Standby = &f.standby; return nil }},
	} {
		if !set.Changed(one.name) {
			continue
		}
		changed = true
		if err := one.parse(); err != nil {
			return o, true, fmt.Errorf("--%s: %w", one.name, err)
		}
	}
	return o, changed, nil
}

// positive refuses 0, negative numbers and what is not a number.
func positive[T ~int | ~int64 | ~float64](value *T, err error) error {
	if err != nil || *value > 0 {
		return err
	}
	return hint.Errorf("give more than 0", "%v is not more than 0", *value)
}

// choice returns the stores and the prices; note says where the prices are from.
func (f layoutFlags) choice() (c layout.Choice, note string, err error) {
	flags := placeFlags{stores: f.stores, prices: f.prices, region: f.region}
	chosen, err := flags.choice()
	if err == nil && len(f.stores) == 0 {
		err = chosen.priced(flags)
	}
	if err != nil {
		return layout.Choice{}, "", err
	}
	c = layout.Choice{Stores: chosen.stores, Book: chosen.book, Region: chosen.region}
	if c.Stores != nil {
		c.StorePrice = placement.Price(chosen.price)
	}
	return c, chosen.note, nil
}
