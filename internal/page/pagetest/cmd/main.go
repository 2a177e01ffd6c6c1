// Command cmd makes the records of package pagetest for tests in a browser.
//
//	cmd STORE [NAME...]   make the named records, by default all; print "NAME DIRECTORY" for each
//	cmd -live STORE       make a record of a running experiment; print its directory, then read
//	                      the next steps, one word per line: point, next, finish or stop;
//	                      answer each with "done"
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"plinth/internal/page/pagetest"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("usage: cmd STORE [NAME...], of %v", pagetest.Names())
	case args[0] == "-live" && len(args) == 2:
		return live(args[1], in, out)
	}
	names := args[1:]
	if len(names) == 0 {
		names = pagetest.Names()
	}
	for _, name := range names {
		dir, err := pagetest.Make(args[0], name)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, name, dir)
	}
	return nil
}

func live(store string, in io.Reader, out io.Writer) error {
	l, err := pagetest.Begin(store)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, l.Path())
	for words := bufio.NewScanner(in); words.Scan(); {
		if err := step(l, words.Text()); err != nil {
			return err
		}
		fmt.Fprintln(out, "done")
	}
	return nil
}

func step(l *pagetest.Live, word string) error {
	switch word {
	case "point":
		return l.Point()
	case "next":
		return l.Next()
	case "finish":
		return l.Finish(true)
	case "stop":
		return l.Finish(false)
	}
	return fmt.Errorf("cannot do %q: point, next, finish or stop", word)
}
