package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/hint"
)

// script is an end of a connection that sends a text, and then nothing, until it is closed.
type script struct {
	io.Reader
	once   sync.Once
	closed chan struct{}
	ends   bool // after the text
	sent   bytes.Buffer
}

func newScript(text string, ends bool) *script {
	return &script{Reader: strings.NewReader(text), closed: make(chan struct{}), ends: ends}
}

func (s *script) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !s.ends {
		<-s.closed
	}
	return n, err
}

func (s *script) Write(p []byte) (int, error) { return s.sent.Write(p) }

func (s *script) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// TestConnectRefuses checks the errors for programs that are not agents of this version.
func TestConnectRefuses(t *testing.T) {
	long := strings.Repeat("é", 600)
	tests := []struct {
		name, text string
		ends       bool
		want, hint string // the error, and the beginning of the hint
	}{
		{"login shell", "\n\nWelcome to \x1b[1mhost!\nplinth-wire 1 \"v1\"\n", false,
			`the other end is not an agent of plinth; its first line is "Welcome to \x1b[1mhost!"`, "the program must"},
		{"long line", long, false, `the other end is not an agent of plinth; its first line is "` + strings.Repeat("é", 50) + `"…`, "the program must"},
		{"empty lines", strings.Repeat("\n", 2000), false, `the other end is not an agent of plinth; its first line is ""`, "the program must"},
		{"closed at once", "", true, "the connection ended before the other end said anything: the other end closed it", ""},
		{"closed in its line", "command not found", true, `the other end said "command not found", and the connection ended: the other end closed it`, ""},
		{"silent", "", false, "the other end said nothing within 20ms", ""},
		{"silent in its line", "password:", false, `the other end said "password:" and nothing else within 1s`, ""},
		{"other version", "plinth-wire 1 \"v2\"\n", false, "the other end is version v2 of plinth, this is version v1", "install"},
		{"other protocol", "plinth-wire 2 \"v1\" more\n", false, `the greeting of the other end is damaged: "plinth-wire 2 \"v1\" more"`, ""},
		{"other protocol and version", "plinth-wire 2 \"v2\"\n", false,
			"the other end is version v2 (protocol 2) of plinth, this is version v1 (protocol 1)", "install"},
		{"terminal", "plinth-wire 1 \"v1\"\r\n", false, "a terminal between both ends changes bytes", "connect without"},
		{"damaged", "plinth-wire 1 v1\n", false, `the greeting of the other end is damaged: "plinth-wire 1 v1"`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Version: "v1", Greeting: time.Hour}
			switch test.name {
			case "silent":
				o.Greeting = 20 * time.Millisecond
			case "silent in its line": // which has to arrive
				o.Greeting = time.Second
			}
			agent := newScript(test.text, test.ends)
			_, err := Connect(t.Context(), agent, o)
			if err == nil || err.Error() != "cannot connect: "+test.want || !strings.HasPrefix(hint.Of(err), test.hint) {
				t.Errorf("error %v\nwant %s\nhint %s", err, test.want, hint.Of(err))
			}
			var version *VersionError
			other := strings.Contains(test.want, "is version")
			if errors.As(err, &version) != other {
				t.Errorf("the error is a %T", err)
			}
			<-agent.closed
			if sent := agent.sent.String(); (sent != "") != other {
				t.Errorf("%q was sent", sent)
			}
		})
	}
}

func TestConnectCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	agent := newScript("", false)
	cancel()
	if _, err := Connect(ctx, agent, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-agent.closed
	if _, err := Connect(t.Context(), newScript("", true), Options{Version: strings.Repeat("v", 201)}); err == nil || !strings.Contains(err.Error(), "the version has 201 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestServeRefuses checks the errors for callers that are not of this version.
func TestServeRefuses(t *testing.T) {
	hello := "plinth-wire 1 \"v1\"\n"
	tests := []struct {
		name, text string
		ends       bool
		want       string
	}{
		{"closed at once", "", true, "cannot serve: the connection ended before the other end said anything: the other end closed it"},
		{"rubbish", "GET / HTTP/1.1\n", false, `cannot serve: the other end is not an agent of plinth; its first line is "GET / HTTP/1.1"`},
		{"other version", "plinth-wire 1 \"v2\"\n", false, "cannot serve: the other end is version v2 of plinth, this is version v1"},
		{"closed after its greeting", hello, true, ""},
		{"closed in HTTP/2", hello + "PRI * HT", true, ""},
		{"not HTTP/2", hello + strings.Repeat("rubbish\n", 100), false, "cannot serve: the connection was lost: the other end did not follow the protocol"},
		{"silent", hello, false, "the other end is silent"},
		{"silent in HTTP/2", hello + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", false, "the other end is silent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			caller := newScript(test.text, test.ends)
			o := Options{Version: "v1", Lease: time.Hour}
			if strings.HasPrefix(test.name, "silent") {
				o.Lease = 200 * time.Millisecond
			}
			err := newServer().Serve(t.Context(), caller, o)
			if fmt.Sprint(err) != test.want && (err != nil || test.want != "") {
				t.Errorf("error %v\nwant %s", err, test.want)
			}
			<-caller.closed
		})
	}
}

// TestServeCancelled checks that Serve ends with its context, after its handlers.
func TestServeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := new(Server)
	returned := false
	method := Method[struct{}, int, int]{"slow"}
	method.Handle(s, func(ctx context.Context, _ struct{}, send func(int)) (int, error) {
		send(1)
		<-ctx.Done()
		for range 100 { // an attempt to be late
			send(2)
		}
		returned = true
		return 0, ctx.Err()
	})
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() {
		err := s.Serve(ctx, far, Options{})
		if !returned {
			t.Error("Serve returned before its handler")
		}
		served <- err
	}()
	c, err := Connect(t.Context(), near, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, err := method.Call(t.Context(), c, struct{}{}, func(int) { cancel() }); !errors.As(err, &lost) {
		t.Errorf("error %v", err)
	}
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
}

// deaf is a connection on which one end can stop to hear and to be heard. Its Close does not end a
// Read, as with a standard input.
type deaf struct {
	io.ReadWriteCloser
	silent chan struct{}
}

func (d deaf) Read(p []byte) (int, error) {
	n, err := d.ReadWriteCloser.Read(p)
	select {
	case <-d.silent:
		select {} // for ever
	default:
		return n, err
	}
}

func (d deaf) Write(p []byte) (int, error) {
	select {
	case <-d.silent:
		select {}
	default:
		return d.ReadWriteCloser.Write(p)
	}
}

// TestSilence checks that both ends notice that nothing arrives any more, although neither a Read nor a
// Write returns.
func TestSilence(t *testing.T) {
	for !silence(t) {
		t.Log("the lease ended too early, on a busy machine")
	}
}

// silence reports whether the connection lasted until it was to become silent.
func silence(t *testing.T) (begun bool) {
	near, far := net.Pipe()
	silent, cause := make(chan struct{}), make(chan error, 1)
	o := Options{Lease: 200 * time.Millisecond}
	s, wait := new(Server), Method[int, int, int]{"wait"}
	wait.Handle(s, func(ctx context.Context, _ int, send func(int)) (int, error) {
		send(1)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return 0, ctx.Err()
	})
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), deaf{far, silent}, o) }()
	c, err := Connect(t.Context(), deaf{near, silent}, o)
	if err == nil {
		_, err = wait.Call(t.Context(), c, 0, func(int) { begun = true; close(silent) })
	}
	agent := <-served
	if !begun {
		return false
	}
	var lost *LostError
	if !errors.As(err, &lost) || !errors.Is(err, ErrSilent) {
		t.Errorf("the call ended with %v", err)
	}
	if !errors.Is(agent, ErrSilent) {
		t.Errorf("Serve = %v", agent)
	}
	if why := <-cause; !errors.Is(why, ErrSilent) {
		t.Errorf("the handler ended because of %v", why)
	}
	return true
}

// TestReason checks that a call knows why the connection ended, even if net/http cancels its context first; and that it is
// cancelled for no reason if its caller gives up.
func TestReason(t *testing.T) {
	for _, want := range []error{ErrSilent, context.Canceled} {
		_, far := net.Pipe()
		line := newStream(t.Context(), far)
		s, cause := new(Server), make(chan error, 1)
		begun := make(chan struct{})
		wait := Method[int, int, int]{"wait"}
		wait.Handle(s, func(ctx context.Context, _ int, _ func(int)) (int, error) {
			close(begun)
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return 0, ctx.Err()
		})
		frame, err := encode(frameResult, 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/wait", bytes.NewReader(frame[frameHeader:]))
		go (&session{server: s, options: Options{}.withDefaults(), line: line}).ServeHTTP(httptest.NewRecorder(), request)
		<-begun
		if errors.Is(want, ErrSilent) {
			line.fail(ErrSilent)
		}
		cancel()
		if why := <-cause; !errors.Is(why, want) {
			t.Errorf("the handler ended because of %v, want %v", why, want)
		}
		line.fail(errClosed)
	}
}

// TestIdle checks that pings keep a connection without calls: it outlives its lease.
func TestIdle(t *testing.T) {
	o := Options{Lease: 200 * time.Millisecond}
	lost := new(LostError)
	for err := error(lost); err != nil; { // again if the machine is so busy that a process does not run for a lease
		c, _ := connectEnds(t, "net.Pipe", newServer(), o, o)
		for c.line.heard.Load() < 500 && c.Err() == nil { // bytes: more than twenty pings or their answers
			select {
			case <-c.Done():
			case <-time.After(time.Millisecond):
			}
		}
		if _, err = echo.Call(t.Context(), c, "", nil); err != nil && !errors.As(err, &lost) {
			t.Fatal(err)
		}
	}
}

// severed is an end of a connection that is closed after a number of bytes in one direction.
type severed struct {
	io.ReadWriteCloser
	read, write int
}

func (c *severed) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p[:min(len(p), c.read)])
	if c.read -= n; c.read == 0 {
		c.Close()
	}
	return n, err
}

func (c *severed) Write(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Write(p[:min(len(p), c.write)])
	if c.write -= n; c.write == 0 {
		c.Close()
		err = io.ErrClosedPipe
	}
	return n, err
}

// TestCut closes the connection after one byte, after two, and so on, in larger steps, from the greeting
// to the end of a call.
func TestCut(t *testing.T) {
	const all = 1 << 30
	for _, direction := range []string{"to the caller", "to the agent"} {
		for n, complete := 1, false; !complete; n += 1 + n/50 {
			near, far := net.Pipe()
			agent := &severed{far, all, all}
			if direction == "to the agent" {
				agent.read = n
			} else {
				agent.write = n
			}
			served := make(chan error, 1)
			go func() { served <- newServer().Serve(context.Background(), agent, Options{Lease: time.Hour}) }()
			c, err := Connect(t.Context(), near, Options{Lease: time.Hour})
			if err == nil {
				_, err = echo.Call(t.Context(), c, "text", nil)
				var lost *LostError
				if complete = err == nil; !complete && !errors.As(err, &lost) {
					t.Errorf("after %d bytes %s: %v", n, direction, err)
				}
				_ = c.Close()
			} else if n > 500 {
				t.Fatalf("after %d bytes %s: %v", n, direction, err)
			}
			if err := <-served; err != nil && !strings.HasPrefix(err.Error(), "cannot serve: ") {
				t.Errorf("after %d bytes %s: Serve = %v", n, direction, err)
			}
		}
	}
}

// TestWriteError checks that a Write error of the streams ends the connection.
func TestWriteError(t *testing.T) {
	s := newStream(t.Context(), broken{newScript("", false)})
	if _, err := s.Write([]byte("x")); err == nil || s.reason() == nil || s.reason().Error() != "no space" {
		t.Errorf("Write = %v, reason %v", err, s.reason())
	}
	if _, err := s.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Write = %v", err)
	}
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Read = %v", err)
	}
}

type broken struct{ *script }

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestReadWithError checks that data is returned before the error that came with it.
func TestReadWithError(t *testing.T) {
	s := newStream(t.Context(), dying{})
	data, err := io.ReadAll(s)
	if string(data) != "last words" || err != nil || !errors.Is(s.reason(), os.ErrInvalid) {
		t.Errorf("%q, %v, reason %v", data, err, s.reason())
	}
}

type dying struct{ full }

func (dying) Read(p []byte) (int, error) { return copy(p, "last words"), os.ErrInvalid }
func (dying) Close() error               { return nil }

// full is a writer whose disk is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }
