// Command plants diagnoses the runs of the experiments that plant causes (internal/diagnosis/plants, run by
// scripts/plants/run), and prints the table of how often the planted cause comes first.
//
//	plants [-each] [-capture FILE] STORE…
//
// -capture writes the first valid runs of each plant, reduced to what a diagnosis reads: the fixture of
// internal/diagnosis/plants. Runs in which the planted cause does not come first are left out, and are named.
// If the file exists, its runs of experiments that are in no store are kept.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"plinth/internal/diagnosis/plants"
	"plinth/internal/record"
)

func main() {
	each := flag.Bool("each", false, "print each plant as well")
	capture := flag.String("capture", "", "write reduced runs to a `FILE`")
	flag.Parse()
	if err := run(flag.Args(), *each, *capture); err != nil {
		fmt.Fprintln(os.Stderr, "plants:", err)
		os.Exit(1)
	}
}

func run(stores []string, each bool, capture string) error {
	all, err := plants.All()
	if err != nil {
		return err
	}
	var records []*record.Record
	for _, store := range stores {
		dirs, err := filepath.Glob(filepath.Join(store, "plant-*-*"))
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			rec, err := record.Open(dir)
			if err != nil {
				return err
			}
			records = append(records, rec)
		}
	}
	judged, err := plants.Judge(all, records)
	if err != nil {
		return err
	}
	if each {
		for _, j := range judged {
			fmt.Fprintf(os.Stdout, "%-14s %-20s %2d of %2d, costs %3.0f %%, off by %3.0f points: %v, fell in %v (late %.1f)\n", j.Experiment, j.In, j.Right, j.Runs, 100*j.Cost, 100*j.Off, j.First, j.Fell, j.Late)
		}
	}
	if capture != "" {
		if err := write(capture, judged, records); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(os.Stdout, plants.Markdown(judged))
	return err
}

// captured is how many runs of a plant are captured.
const captured = 1

// write writes the reduced runs of the plants that count.
func write(name string, judged []plants.Judged, records []*record.Record) error {
	all, err := kept(name, judged)
	if err != nil {
		return err
	}
	for _, j := range judged {
		if !j.Counts() {
			continue
		}
		n := 0
		for _, rec := range records {
			for i := range rec.Runs {
				run := &rec.Runs[i]
				if n == captured || !j.Has(rec, run) {
					continue
				}
				c, err := plants.Capture(j.Plant, rec, run)
				if err != nil {
					return err
				}
				if d := c.Diagnose(); len(d.Findings) == 0 || !slices.Contains(j.Causes, d.Findings[0].Cause) {
					fmt.Fprintf(os.Stderr, "left out: %s, %s, run %d\n", j.Experiment, j.In, run.Number)
					continue
				}
				all = append(all, c)
				n++
			}
		}
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(plants.Write(file, all), file.Close())
}

// kept returns the captured runs of a file whose experiments were not judged; none if there is no such file.
func kept(name string, judged []plants.Judged) ([]plants.Captured, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := plants.Read(file)
	return slices.DeleteFunc(all, func(c plants.Captured) bool {
		return slices.ContainsFunc(judged, func(j plants.Judged) bool { return j.Runs > 0 && j.Experiment == c.Experiment })
	}), err
}
