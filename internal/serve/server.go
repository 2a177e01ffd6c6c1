// Package serve shows a store in the browser: its records, each one's page, and a
// run that goes on, live. It reads records from disk like anyone else; it changes
// nothing, and the one who writes a record does not know that it is there.
//
// It listens on loopback unless told otherwise, answers GET and HEAD only, and
// believes no name: who asks under another host name (DNS rebinding) or from
// another site's page gets nothing.
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
	"plinth/internal/record"
)

// DefaultListen is where plinth serve listens unless told: loopback, at a port that
// reminds of PostgreSQL's 5432, that nothing usual has, and that no outgoing
// connection is given by chance (ephemeral ports begin at 32768).
const DefaultListen = "127.0.0.1:7432"

// Options is what is served, and where.
type Options struct {
	Store  string // the directory of the records; it may be made later
	Listen string // "127.0.0.1:7432"; DefaultListen when empty, port 0 for any free one
	// Parity names what of two environments differs without having been declared;
	// two records are compared with it.
	Parity func(a, b record.Environment) []record.Note

	poll  time.Duration // between two looks at a record that is watched; 1 s when 0
	grace time.Duration // how long answers on their way may take when it stops; stopLimit when 0
	pages pages         // what makes the pages; those of package page when nil
}

// Server is a store being served.
type Server struct {
	options  Options
	listener net.Listener
	server   *http.Server
	stop     context.CancelFunc
	done     chan struct{}
	err      error // of serving, once done is closed

	hosts   hosts
	token   string // "" on loopback
	library *library
	hub     *hub
}

// Start begins to serve. The error is one of listening: an address that is no
// address, or one that is in use.
func Start(o Options) (*Server, error) {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	if o.pages == nil {
		o.pages = recordPages{}
	}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, hint.Errorf("HOST:PORT, such as "+DefaultListen, "cannot serve at %q: not an address", o.Listen)
	}
	store, err := filepath.Abs(o.Store) // the directory one is in may change
	if err != nil {
		return nil, fmt.Errorf("cannot serve %s: %w", o.Store, err)
	}
	if info, err := os.Stat(store); err == nil && !info.IsDir() {
		return nil, hint.Errorf("name the directory in which records are kept with --store", "cannot serve %s: it is not a directory", o.Store)
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, cannotListen(o.Listen, err)
	}
	s := &Server{options: o, listener: listener, done: make(chan struct{})}
	s.hosts = hostsOf(host, listener.Addr().(*net.TCPAddr))
	if !s.hosts.loopback {
		s.token = rand.Text() // 130 bits of chance, in letters that an address can hold
	}
	s.library = newLibrary(store, o.pages)
	s.hub = newHub(s.library, o.poll)
	s.begin()
	return s, nil
}

func cannotListen(address string, err error) error {
	text := "an address of this machine and a port: " + DefaultListen
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		text = "another plinth serve may be there; --listen 127.0.0.1:0 takes any free port"
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

// begin serves in the background. The times are for requests that are as short as
// ours: one that takes longer is somebody who wants to hold us up.
func (s *Server) begin() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.server = &http.Server{
		Handler:           s.guard(s.routes()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute, // of streams it is put off again and again
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(nowhere{}, "", 0),
	}
	go func() {
		defer close(s.done)
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.err = fmt.Errorf("cannot go on serving: %w", err)
		}
	}()
}

// nowhere swallows what net/http says of clients that go away: nobody can do
// anything about it, and it would tear the progress of a run apart.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// URL is the address of a record's page, or of the list for "". Where a token is
// needed it is in there.
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

// Open says whether others than those on this machine can reach the server.
func (s *Server) Open() bool { return !s.hosts.loopback }

// Wait returns when ctx ends, or when serving fails: then with the error.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.done:
		return s.err
	}
}

// stopLimit is how long answers that are on their way may still take.
const stopLimit = 2 * time.Second

// Stop ends serving: streams with what is known by now, other answers after a moment.
func (s *Server) Stop() {
	s.hub.finish()
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(s.options.grace, stopLimit))
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // those that did not end in time
	}
	s.stop()
	<-s.done
	s.hub.wait()
}
