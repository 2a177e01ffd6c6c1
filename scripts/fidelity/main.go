// Command fidelity judges predictions: it predicts the cells of the records of internal/prediction/fidelity from
// their references, and prints how far off each prediction is.
//
//	fidelity [-same] [-from NAME] [-capture FILE] RECORD…
//
// A cell is predicted from the first environment with the same settings whose name begins with NAME; if there is none,
// from the baseline, or from the first with the same settings. Environments whose disks are not known are left out. Those
// whose bursts end are judged apart: when the burst ends, and the throughput before and after.
//
// -capture writes what was measured, for the tests of internal/prediction/fidelity.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"plinth/internal/prediction/fidelity"
	"plinth/internal/record"
)

func main() {
	same := flag.Bool("same", false, "predict from a reference with the same number of clients")
	from := flag.String("from", fidelity.ReferenceName, "predict from environments whose names begin with `NAME`")
	capture := flag.String("capture", "", "write what was measured to a `FILE`")
	flag.Parse()
	if err := run(flag.Args(), *same, *from, *capture); err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(1)
	}
}

func run(records []string, same bool, from, capture string) error {
	var captured []fidelity.Captured
	var all []fidelity.Judged
	var bindings []fidelity.Binding
	var bursts []fidelity.JudgedBurst
	var known int
	var against []string
	for _, path := range records {
		rec, err := record.Open(path)
		if err != nil {
			return err
		}
		cells, err := fidelity.Cells(rec, from)
		if err != nil {
			return err
		}
		ending, err := fidelity.Bursts(rec, from)
		if err != nil {
			return err
		}
		captured = append(captured, fidelity.Captured{Cells: cells, Bursts: ending})
		bursts = append(bursts, fidelity.JudgeBursts(ending)...)
		judged := fidelity.Judge(cells, same)
		all = append(all, judged...)
		r := fidelity.Rank(cells, judged)
		known, against = known+r.Known, append(against, r.Against...)
		bindings = append(bindings, fidelity.Bindings(cells)...)
	}
	if capture != "" {
		text, err := json.MarshalIndent(captured, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(capture, append(text, '\n'), 0o644)
	}
	if len(bursts) > 0 {
		fmt.Fprint(os.Stdout, fidelity.BurstTable(bursts), "\n")
	}
	if len(all) == 0 {
		return nil
	}
	fmt.Fprint(os.Stdout, fidelity.Table(all), "\n", fidelity.ByDevice(all), "\n", fidelity.Summarize(all), "\n")
	fmt.Fprintf(os.Stdout, "%d pairs of devices have a certain order; ranked the other way: %d %v\n", known, len(against), against)
	if len(bindings) > 0 {
		table, right, known := fidelity.BindingTable(bindings)
		fmt.Fprintf(os.Stdout, "\n%sthe bottleneck was right in %d of %d\n", table, right, known)
	}
	return nil
}
