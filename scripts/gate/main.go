// Gate runs the checks of the project and reports their results.
//
//	gate test                 every check once: tests, linters, the page
//	gate soak [flags] [PKG…]  the tests repeatedly, to find flaky ones
//	gate measure [PKG…]       measurements that need a quiet machine; writes docs/measured.md
//
// The Makefile has a target for each.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	commands := map[string]func(context.Context, []string) error{"test": test, "soak": soak, "measure": measure}
	command, known := commands[append(os.Args, "", "")[1]]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: gate test | soak [flags] [PACKAGE…] | measure [PACKAGE…]")
		os.Exit(2)
	}
	err := command(ctx, os.Args[2:])
	if err != nil && !errors.Is(err, errRed) {
		fmt.Fprintln(os.Stderr, "gate:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// errRed reports that a check failed. The failure has been printed.
var errRed = errors.New("a check failed")
