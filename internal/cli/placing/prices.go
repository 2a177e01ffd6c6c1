package placing

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/price"
	"plinth/internal/report/costs"
)

type pricesFlags struct {
	region     string
	yaml, json bool
}

func (a *app) pricesCommand() *cobra.Command {
	var flags pricesFlags
	cmd := &cobra.Command{
		Use:   "prices [NAME|FILE]",
		Short: "Show price books: what volumes, instances and managed databases cost",
		Long: `List the price books: that of today, and those of publications. With NAME, show the
prices of a book in a region, each with its source and date. FILE is a price file of
your own (its name ends in .yaml); plinth checks it.

--yaml prints the file of a book, to begin one of your own: plinth cost --prices FILE
uses it. A price that is not known is written as unknown; it never counts as zero.` +
			base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: `  plinth prices
  plinth prices aws --region ap-southeast-3
  plinth prices aws --yaml > our-prices.yaml
  plinth prices our-prices.yaml`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			return base.Usage(a.prices(args, flags))
		},
	}
	cmd.Flags().StringVar(&flags.region, "region", "", "`REGION` of the prices (default: the only one of the book, or us-east-1)")
	cmd.Flags().BoolVar(&flags.yaml, "yaml", false, "print the file of a book")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print as JSON")
	return cmd
}

// check refuses flags that conflict.
func (f pricesFlags) check() error {
	switch {
	case f.json && f.yaml:
		return hint.Errorf("choose one of them", "--json and --yaml cannot be used together")
	case f.region != "" && (f.json || f.yaml):
		return hint.Errorf("leave it out: they have the whole price book", "--region does not apply to --json and --yaml")
	}
	return nil
}

func (a *app) prices(args []string, flags pricesFlags) error {
	if len(args) == 0 {
		if flags.yaml || flags.region != "" {
			return hint.Errorf("name one: plinth prices aws", "--yaml and --region require a price book")
		}
		return a.listPrices(flags.json)
	}
	if err := flags.check(); err != nil {
		return err
	}
	b, err := findBook(args[0])
	if err != nil {
		return err
	}
	switch {
	case flags.json:
		return a.WriteJSON(b)
	case flags.yaml:
		text, err := price.Text(args[0])
		if err == nil {
			_, err = a.Stdout.Write(text)
		}
		return err
	}
	region := flags.region
	if region == "" {
		if region = b.DefaultRegion(); region == "" {
			return hint.Errorf("add --region", "the price book %s has several regions", b.Name)
		}
	}
	d, err := costs.Book(b, region, time.Now())
	if err == nil {
		_, err = fmt.Fprint(a.Stdout, d.Text(a.Width()))
	}
	return err
}

func (a *app) listPrices(asJSON bool) error {
	var all []*price.Book
	for _, name := range price.Names() {
		b, err := price.Find(name)
		if err != nil {
			return err
		}
		all = append(all, b)
	}
	if asJSON {
		return a.WriteJSON(all)
	}
	_, err := fmt.Fprint(a.Stdout, costs.Books(all, time.Now()).Text(a.Width()))
	return err
}

// findBook returns a book of the program, or one from a file.
func findBook(name string) (*price.Book, error) {
	if strings.HasSuffix(name, ".yaml") || strings.Contains(name, "/") {
		return base.ReadBook(name)
	}
	return price.Find(name)
}
