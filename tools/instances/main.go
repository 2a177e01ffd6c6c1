// Instances writes the catalog of cloud instances, internal/instance/instances.tsv, from two
// published Go modules:
//
//	go run -C tools/instances . [-coremark FILE] ../../internal/instance/instances.tsv
//
// It downloads the modules (about 150 MB) into Go's module cache; plinth itself does not depend on
// them. To refresh the catalog, change their versions in sources.go. Then compare the old file with
// the new one, and update the dates in internal/instance/source.go.
//
// CoreMark results and NUMA nodes are not in the modules. They are kept from the existing file, or
// read from FILE: tab-separated text with the columns instance, coremark_iterations_per_second and
// numa_nodes, as extracted from manually_fetched_data.json of the repository
// vantage-sh/ec2instances.info.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	measured := flag.String("coremark", "", "read CoreMark results and NUMA nodes from `FILE`, not from the existing catalog")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: instances [-coremark FILE] CATALOG")
		os.Exit(2)
	}
	if err := refresh(flag.Arg(0), *measured); err != nil {
		fmt.Fprintln(os.Stderr, "instances:", err)
		os.Exit(1)
	}
}

// refresh writes the catalog. measured is the file with the CoreMark results; if it is empty, those
// of the existing catalog are kept.
func refresh(catalog, measured string) error {
	types, err := readTypes()
	if err != nil {
		return err
	}
	baselines, err := readNetworkBaselines()
	if err != nil {
		return err
	}
	results, err := readMeasured(cmp.Or(measured, catalog))
	if err != nil {
		return err
	}
	slices.SortFunc(types, func(a, b instanceType) int {
		return cmp.Or(cmp.Compare(a.family(), b.family()), cmp.Compare(a.VCPUs, b.VCPUs), cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Name, b.Name))
	})
	var out bytes.Buffer
	out.WriteString(head())
	for _, t := range types {
		line, err := t.line(baselines[t.Name], results[t.Name])
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		out.WriteString(line)
	}
	return os.WriteFile(catalog, out.Bytes(), 0o644)
}
