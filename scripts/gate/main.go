// Gate runs what the project checks, and says what it saw.
//
//	gate test                 every check once: tests, linters, the page
//	gate soak [flags] [PKG…]  the tests again and again, to find those that are not deterministic
//	gate measure [PKG…]       what only a quiet machine can answer; writes docs/measured.md
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

// errRed says that a check failed, which has been printed.
var errRed = errors.New("a check failed")
