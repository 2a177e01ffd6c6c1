// Package serve shows a store in the browser: the list of records, the page of each record,
// and live updates of a running experiment. It only reads records from disk, and does not
// communicate with the process that writes them.
//
// It listens on loopback by default and answers only GET and HEAD. It refuses requests with an
// unknown host name (DNS rebinding) and requests from pages of other sites.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/internal/record"
)

// DefaultListen is the address that plinth serve listens on by default: loopback, with a port
// that resembles PostgreSQL's 5432, is not used by common services, and lies below the
// ephemeral ports of outgoing connections (from 32768 on).
const DefaultListen = "127.0.0.1:7432"

// Options configures a Server.
type Options struct {
	Store  string // the directory of the records; it need not exist yet
	Listen string // HOST:PORT; "" means DefaultListen, port 0 any free port
	// Parity lists the undeclared differences between two environments, for comparisons of two
	// records.
	Parity func(a, b record.Environment) []record.Note

	// Search returns the page of the search whose records these are; nil if there is none.
	Search func() (page.Plain, error)

	poll  time.Duration // interval between readings of a watched record; 0 means 1 s
	grace time.Duration // timeout of pending responses in Stop; 0 means stopLimit
	pages pages         // nil means those of package page
}

// Server serves a store.
type Server struct {
	options  Options
	listener net.Listener
	server   *http.Server
	stop     context.CancelFunc
	done     chan struct{}
	err      error // of serving; valid once done is closed

	hosts   hosts
	token   string // "" on loopback
	library *library
	hub     *hub
}

// Start starts to serve in the background. It fails if it cannot listen, for example because
// the address is invalid or in use, or if the store is not a directory.
func Start(o Options) (*Server, error) {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	if o.pages == nil {
		o.pages = recordPages{}
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, hint.Errorf("use HOST:PORT, such as "+DefaultListen, "cannot serve at %q: not an address", o.Listen)
	}
	store, err := filepath.Abs(o.Store) // the working directory may change
	if err != nil {
		return nil, fmt.Errorf("cannot serve %s: %w", o.Store, err)
	}
	if info, err := os.Stat(store); err == nil && !info.IsDir() {
		return nil, hint.Errorf("give the directory of the records with --store", "cannot serve %s: it is not a directory", o.Store)
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, cannotListen(o.Listen, err)
	}
	s := &Server{options: o, listener: listener, done: make(chan struct{})}
	s.hosts = hostsOf(host, listener.Addr().(*net.TCPAddr))
	if !s.hosts.loopback {
		s.token = rand.Text() // 130 random bits, in characters that need no escaping in an address
	}
	s.library = newLibrary(store, o.pages)
	s.hub = newHub(s.library, o.poll)
	s.begin()
	return s, nil
}

func cannotListen(address string, err error) error {
	text := "use an address of this machine and a port, such as " + DefaultListen
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		text = "another plinth serve may be running; --listen 127.0.0.1:0 uses any free port"
	case errors.Is(err, syscall.EACCES):
		text = "choose a port above 1023"
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return hint.Errorf(text, "cannot serve at %s: %w", address, err)
}

// begin serves in the background. The timeouts suit short requests: they end those that try to
// keep connections busy.
func (s *Server) begin() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.server = &http.Server{
		Handler:           s.guard(s.routes()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute, // streams extend it with each event
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(nowhere{}, "", 0),
	}
	go func() {
		defer close(s.done)
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.err = fmt.Errorf("cannot continue to serve: %w", err)
		}
	}()
}

// nowhere discards the log of net/http, which reports disconnected clients: users can do nothing
// about them, and the lines would disrupt the progress display of a run.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// URL returns the address of a record's page, or of the list for "", including the token if one
// is required.
func (s *Server) URL(name string) string {
	u := url.URL{Scheme: "http", Host: s.hosts.address, Path: "/"}
	if name != "" {
		u.Path = "/record/" + name
	}
	if s.token != "" {
		u.RawQuery = "token=" + s.token
	}
	return u.String()
}

// Open reports whether the server is reachable from other machines.
func (s *Server) Open() bool { return !s.hosts.loopback }

// Wait returns nil when ctx ends, or the error when serving fails.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.done:
		return s.err
	}
}

// stopLimit is the timeout of pending responses in Stop.
const stopLimit = 2 * time.Second

// Stop stops serving. It ends streams after a last event with the current state, and other
// responses after at most stopLimit.
func (s *Server) Stop() {
	s.hub.finish()
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(s.options.grace, stopLimit))
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // close the connections that did not end in time
	}
	s.stop()
	<-s.done
	s.hub.wait()
}
