package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/runner"
	"plinth/internal/runner/engines"
	"plinth/internal/serve"
)

// serveRun serves the store while an experiment is run; nil where nobody asked for
// that. The usual port may be that of another plinth: any other will do then, for
// the address is printed, and no experiment should wait for it.
func (a *app) serveRun(options runner.Options, flags runFlags) (*serve.Server, error) {
	if !flags.serve {
		return nil, nil //nolint:nilnil // there being none is no error
	}
	o := serve.Options{Store: a.store, Parity: engines.Parity}
	if options.Resume != nil { // it may not be in the store
		path, err := filepath.Abs(options.Resume.Path)
		if err != nil {
			return nil, err
		}
		o.Store = filepath.Dir(path)
	}
	server, err := serve.Start(o)
	if errors.Is(err, syscall.EADDRINUSE) {
		o.Listen = "127.0.0.1:0"
		server, err = serve.Start(o)
	}
	if err != nil {
		return nil, &usageError{err}
	}
	a.tellUnbuilt()
	return server, nil
}

// tellPage prints the address of the record's page as soon as there is one.
func (a *app) tellPage(server *serve.Server) func(path string) {
	if server == nil {
		return nil
	}
	return func(path string) { fmt.Fprintln(a.stderr, "page: "+server.URL(filepath.Base(path))) }
}

var stopShowing = "the record is complete"

// goOnServing keeps the page of a finished run readable until Ctrl-C, for who sits
// at a terminal. A script gets its exit code at once, and so does who has pressed
// Ctrl-C already, or has to hear what went wrong.
func (a *app) goOnServing(ctx context.Context, server *serve.Server, path string, err error) error {
	if server == nil {
		return err
	}
	defer server.Stop()
	if err != nil || ctx.Err() != nil || !a.view(false).terminal {
		return err
	}
	a.stopping.Store(&stopShowing)
	fmt.Fprintf(a.stderr, "\nstill serving at %s until Ctrl-C\n", server.URL(filepath.Base(path)))
	return server.Wait(ctx)
}

// checkServe refuses what cannot be served.
func (flags runFlags) checkServe() error {
	if flags.serve && flags.dryRun {
		return usage(hint.Errorf("leave one of them out", "--dry-run makes no record that --serve could show"))
	}
	return nil
}
