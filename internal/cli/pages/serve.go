package pages

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"plinth/internal/cli/base"
	"plinth/internal/page"
	"plinth/internal/report/searching"
	"plinth/internal/runner/engines"
	"plinth/internal/search/study"
	"plinth/internal/serve"
	"plinth/web"
)

// WarnUnbuilt warns if plinth was built without the page's JavaScript.
func WarnUnbuilt(out io.Writer) {
	if _, built := web.Program(); !built {
		fmt.Fprintln(out, "warning: plinth was built without the page's JavaScript, so pages do not update (make build includes it)")
	}
}

// ServeBeside serves a store while plinth measures. If another plinth uses the default port, it uses any free one: the
// address is printed, and no experiment should wait for a port.
func ServeBeside(a *base.App, store string) (*serve.Server, error) {
	o := serve.Options{Store: store, Parity: engines.Parity, Search: SearchOf(store)}
	server, err := serve.Start(o)
	if errors.Is(err, syscall.EADDRINUSE) {
		o.Listen = "127.0.0.1:0"
		server, err = serve.Start(o)
	}
	if err != nil {
		return nil, base.Usage(err)
	}
	WarnUnbuilt(a.Stderr)
	return server, nil
}

// SearchOf returns what makes the page of the search whose records a store has; nil if they are of no search.
func SearchOf(store string) func() (page.Plain, error) {
	dir := filepath.Dir(filepath.Clean(store))
	if _, err := study.Read(dir); err != nil || filepath.Base(store) != study.Records {
		return nil
	}
	return func() (page.Plain, error) {
		now, err := study.Read(dir)
		return PageOf(now), err
	}
}

// PageOf returns the page of a search.
func PageOf(now study.State) page.Plain {
	r := searching.New(now)
	return page.Plain{Title: r.Title(), Kind: "search for a tuning", Body: r.Document(), Live: now.Confirmation == nil || !now.Confirmation.Ended}
}
