package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Flow control. A call whose caller does not read blocks after streamWindow bytes and what the streams
// hold in between; other calls continue.
const (
	streamWindow = 1 << 20   // bytes that a call may send before the caller reads
	frameSize    = 256 << 10 // bytes of the largest HTTP/2 frame; the default is 16 KiB
	mostCalls    = 1000      // calls in progress; further ones wait
)

// Server is the agent's side: the methods that a caller may call. Its zero value has none.
type Server struct {
	handlers map[string]handler
	twice    string // a method with two handlers
}

// handler carries out one call. It sends its result, or returns an error.
type handler func(ctx context.Context, x *exchange, body io.Reader) error

func (s *Server) handle(name string, h handler) {
	if s.handlers == nil {
		s.handlers = map[string]handler{}
	}
	if _, exists := s.handlers[name]; exists {
		s.twice = name
	}
	s.handlers[name] = h
}

// Serve answers the calls of one caller until the connection ends or the context is cancelled, and
// closes rw. It returns nil if the caller closed the connection, and ErrSilent if nothing arrived from
// the caller for a lease. The contexts of all calls in progress are cancelled then, with that cause, and
// their handlers have returned when Serve returns.
func (s *Server) Serve(ctx context.Context, rw io.ReadWriteCloser, o Options) error {
	o = o.withDefaults()
	line := newStream(ctx, rw)
	defer line.end(net.ErrClosed) //nolint:errcheck // each message was sent at once
	if s.twice != "" {
		return fmt.Errorf("cannot serve: %s has two handlers", s.twice)
	}
	if err := greet(ctx, line, o, true); err != nil {
		return fmt.Errorf("cannot serve: %w", err)
	}
	go line.watch(o.Lease)
	calls := &session{server: s, options: o, line: line}
	server := &http.Server{
		Handler:     calls,
		Protocols:   overHTTP2(),
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: mostCalls, SendPingTimeout: o.Lease / 4, PingTimeout: neverLost},
		BaseContext: func(net.Listener) context.Context { return line.ctx },
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	_ = server.Serve(&listener{line: line}) // returns when the stream has ended, which has a reason
	calls.end()
	switch reason := line.reason(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(reason, errClosed):
		return nil
	case errors.Is(reason, ErrSilent):
		return ErrSilent
	default:
		return fmt.Errorf("cannot serve: %w", &LostError{reason})
	}
}

// neverLost makes net/http send pings, and leaves it to watch to miss the answers. watch counts every
// byte: the answer to a ping can be late behind data on a slow link.
const neverLost = 24 * time.Hour

func overHTTP2() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// listener is a net.Listener of one connection.
type listener struct {
	line     *stream
	accepted bool
}

// Accept returns the connection, then an error when it has ended.
func (l *listener) Accept() (net.Conn, error) {
	if !l.accepted {
		l.accepted = true
		return l.line, nil
	}
	<-l.line.ctx.Done()
	return nil, net.ErrClosed
}

// Close does nothing: the connection is closed for a reason.
func (l *listener) Close() error { return nil }

// Addr returns an address for net/http.
func (l *listener) Addr() net.Addr { return address{} }

// session counts the calls of one connection in progress.
type session struct {
	server  *Server
	options Options
	line    *stream

	mu    sync.Mutex
	ended bool
	calls sync.WaitGroup
}

// begin reports whether a call may begin: net/http may start one while the connection ends.
func (c *session) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.calls.Add(1)
	}
	return !c.ended
}

// end lets no call begin, and waits for those in progress.
func (c *session) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.calls.Wait()
}

// ServeHTTP carries out a call.
func (c *session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.begin() {
		return
	}
	defer c.calls.Done()
	// When the connection ends, net/http may cancel the context of the call before the reason arrives there from line.ctx.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer cancel(nil)
	defer context.AfterFunc(r.Context(), func() { cancel(cmp.Or(c.line.reason(), context.Cause(r.Context()))) })()
	name := strings.TrimPrefix(r.URL.Path, "/")
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header()["Date"] = nil // net/http would add it
	x := &exchange{name: name, options: c.options, w: w, flush: http.NewResponseController(w).Flush, cancel: func() { cancel(nil) }}
	x.finish(c.carryOut(ctx, x, r.Body))
}

func (c *session) carryOut(ctx context.Context, x *exchange, body io.Reader) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicked(x.name, value)
		}
	}()
	if h, known := c.server.handlers[x.name]; known {
		return h(ctx, x, body)
	}
	return fmt.Errorf("cannot carry out %.100q: the agent has no such method", x.name)
}

// exchange is the answer to one call.
type exchange struct {
	name    string
	options Options
	flush   func() error
	cancel  func()

	mu   sync.Mutex
	w    io.Writer // nil once the answer is complete
	lost bool      // the caller does not read any more
	err  error     // the first message that could not be sent
}

// request decodes what the caller sent.
func (x *exchange) request(body io.Reader, into any) error {
	limit := x.options.Request
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the request of %s: %w", x.name, err)
	case int64(len(data)) > int64(limit):
		return fmt.Errorf("cannot carry out %s: the request has more than %s", x.name, limit)
	}
	if err := decode(data, into); err != nil {
		return fmt.Errorf("cannot read the request of %s: %w", x.name, err)
	}
	return nil
}

// event sends an event, or cancels the call if that is not possible.
func (x *exchange) event(message any) {
	frame, err := encode(frameEvent, message)
	if err == nil {
		err = checkSize("an event", frame, x.options.Event)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.w == nil || x.err != nil:
	case err != nil:
		x.err = fmt.Errorf("cannot send an event of %s: %w", x.name, err)
		x.cancel()
	default:
		x.send(frame)
	}
}

// result completes the answer.
func (x *exchange) result(message any) error {
	frame, err := encode(frameResult, message)
	if err == nil {
		err = checkSize("the result", frame, x.options.Result)
	}
	if err != nil {
		return fmt.Errorf("cannot send the result of %s: %w", x.name, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.w != nil && x.err == nil {
		x.send(frame)
		x.w = nil
	}
	return x.err
}

// send sends a frame at once. x.mu is held. If the caller is gone, the context of the call ends, too.
func (x *exchange) send(frame []byte) {
	if x.lost {
		return
	}
	_, err := x.w.Write(frame)
	if err == nil {
		err = x.flush()
	}
	x.lost = err != nil
}

// finish completes the answer if no result did.
func (x *exchange) finish(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.w == nil {
		return
	}
	if x.err != nil {
		err = x.err
	}
	if err == nil {
		err = fmt.Errorf("cannot carry out %s: it has no result", x.name)
	}
	if frame, failed := encode(frameError, newFailure(err, x.options.Kinds)); failed == nil {
		x.send(frame)
	}
	x.w = nil
}
