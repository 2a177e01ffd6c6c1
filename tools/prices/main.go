// Prices writes today's price book, internal/price/books/aws.yaml:
//
//	go run -C tools/prices . ../../internal/price/books/aws.yaml
//
// The prices of instances and database classes come from two published Go modules. It downloads them
// (about 160 MB) into Go's module cache; plinth itself does not depend on them. All other prices are in
// aws.yaml.tmpl, written by hand, each with its source.
//
// To refresh the book, change the versions in sources.go, their dates in aws.yaml.tmpl, and the prices
// there for which you find newer sources. Then compare the old book with the new one. Prices on which
// the two modules disagree are printed.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"text/template"
)

//go:embed aws.yaml.tmpl
var book string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prices BOOK")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

// write fills the template with the prices of the modules.
func write(path string) error {
	instances, err := readInstances()
	if err != nil {
		return err
	}
	newer, err := readNewer()
	if err != nil {
		return err
	}
	classes, err := readClasses()
	if err != nil {
		return err
	}
	t, err := template.New("aws.yaml").Funcs(template.FuncMap{
		"onDemand": func(region string) (string, error) { return onDemand(instances, newer[region], region) },
		"reserved": func(region string) (string, error) { return reserved(instances, region) },
		"classes":  func(region, service string) (string, error) { return classHours(classes, region, service) },
	}).Parse(book)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, nil); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
