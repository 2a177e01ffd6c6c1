package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// families are the families of instances in the book: those of the published documents, and t4g.
var families = strings.Fields("t3 t4g m6i m7g c7g r6i r5b i3en i4i")

// instance is the part of an entry of instances.json with its prices, in dollars per hour, for Linux on
// shared hardware.
type instance struct {
	Name    string `json:"instance_type"`
	Regions map[string]struct {
		Linux struct {
			OnDemand string            `json:"ondemand"`
			Reserved map[string]string `json:"reserved"`
		} `json:"linux"`
	} `json:"pricing"`
}

// readInstances reads the types of all families.
func readInstances() ([]instance, error) {
	var all []instance
	if err := readWide("instances.json", &all); err != nil {
		return nil, err
	}
	return all, nil
}

// readWide reads a file of the module that has all regions.
func readWide(name string, into any) error {
	dir, err := widePrices.download()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "data", name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readNewer returns newer prices on demand by region and type, from the map in a Go file that Karpenter
// generates from AWS's price list.
func readNewer() (map[string]map[string]float64, error) {
	dir, err := newerPrices.download()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "pkg", "providers", "pricing", "zz_generated.pricing_aws.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	regions := map[string]map[string]float64{}
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isText := pair.Key.(*ast.BasicLit)
		types, isMap := pair.Value.(*ast.CompositeLit)
		if !isText || !isMap {
			return true
		}
		region, _ := strconv.Unquote(key.Value) // the parser has checked it
		regions[region] = map[string]float64{}
		for _, element := range types.Elts {
			pair := element.(*ast.KeyValueExpr)
			name, _ := strconv.Unquote(pair.Key.(*ast.BasicLit).Value)
			regions[region][name], _ = strconv.ParseFloat(pair.Value.(*ast.BasicLit).Value, 64)
		}
		return false
	})
	if len(regions["us-east-1"]) == 0 {
		return nil, fmt.Errorf("%s has no prices of us-east-1", path)
	}
	return regions, nil
}

// onDemand returns the prices on demand of a region. Newer prices take precedence, except for bare
// metal, whose newer prices are those of dedicated hardware.
func onDemand(all []instance, newer map[string]float64, region string) (string, error) {
	hours := map[string]float64{}
	for _, i := range all {
		hour, err := price(i.Regions[region].Linux.OnDemand)
		if err != nil {
			return "", fmt.Errorf("%s in %s: %w", i.Name, region, err)
		}
		if later, found := newer[i.Name]; found && contains(families, i.Name) && later != hour {
			fmt.Fprintf(os.Stderr, "%s in %s: %g in the wide source, %g in the newer one\n", i.Name, region, hour, later)
			if !strings.HasSuffix(i.Name, ".metal") {
				hour = later
			}
		}
		hours[i.Name] = hour
	}
	return list(hours, families), nil
}

// reserved returns the prices of a region under a commitment of a year, without a payment in advance.
func reserved(all []instance, region string) (string, error) {
	hours := map[string]float64{}
	for _, i := range all {
		hour, err := price(i.Regions[region].Linux.Reserved["yrTerm1Standard.noUpfront"])
		if err != nil {
			return "", fmt.Errorf("%s in %s: %w", i.Name, region, err)
		}
		hours[i.Name] = hour
	}
	return list(hours, families), nil
}

// price reads a price; 0 if there is none: the source has empty text and "N/A" for that.
func price(text string) (float64, error) {
	if text == "" || text == "N/A" {
		return 0, nil
	}
	return strconv.ParseFloat(text, 64)
}
