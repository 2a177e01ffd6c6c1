// Command snapshot reads twice the files that plinth reads on a machine, and writes them as an
// archive for package hosttest.
//
//	snapshot [-after 2s] FILES [COMMENT...] >machine.txtar
//
// FILES lists the files (scripts/capture/files). The comment is written at the top.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

func main() {
	after := flag.Duration("after", 2*time.Second, "time between the two snapshots")
	flag.Parse()
	if err := run(*after, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(1)
	}
}

func run(after time.Duration, args []string) error {
	if len(args) == 0 {
		return errors.New("no file with patterns given")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("cannot read the patterns: %w", err)
	}
	tree, err := find(patterns(string(text)))
	if err != nil {
		return err
	}
	first, later := twice(tree.files, after)
	a, err := archive(tree, first, later)
	if err != nil {
		return err
	}
	a.Comment = []byte(strings.Join(args[1:], "\n") + "\n\n")
	_, err = os.Stdout.Write(txtar.Format(a))
	return err
}

// twice reads all files, and those that change a second time. An emulated machine
// needs many seconds to read everything, so twice first determines which files
// change, and takes the two snapshots of only those, each within about a second.
func twice(files []string, after time.Duration) (first, later contents) {
	first = read(files)
	moving := read(files)
	maps.DeleteFunc(moving, func(name string, data []byte) bool { return bytes.Equal(first[name], data) })
	names := slices.Sorted(maps.Keys(moving))

	began := time.Now()
	maps.Copy(first, read(names))
	took := time.Since(began)
	<-time.After(after)
	later = maps.Clone(first)
	maps.DeleteFunc(later, func(name string, _ []byte) bool { return moving[name] != nil })
	maps.Copy(later, read(names))
	fmt.Fprintf(os.Stderr, "snapshot: %d files, of which %d change and were read in %.1f s\n", len(first), len(names), took.Seconds())
	return first, later
}

// patterns returns glob patterns, one for each name in each line.
func patterns(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		for _, name := range words[1:] {
			all = append(all, words[0]+"/"+name)
		}
	}
	return all
}
