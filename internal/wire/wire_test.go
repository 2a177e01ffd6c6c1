package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

var (
	echo    = Method[string, int, string]{"echo"}        // sends events 0 to 2
	block   = Method[struct{}, string, string]{"block"}  // one event, then until the context ends
	flood   = Method[int, []byte, int]{"flood"}          // sends that many events
	fails   = Method[string, struct{}, struct{}]{"fail"} // in the way that the request names
	flooded atomic.Int64
	blocked = make(chan error, 1000) // why a blocked call ended
)

type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

var input = Kind{"input", func(err error) bool { return errors.As(err, new(inputError)) }, func(err error) error { return inputError{err} }}

func newServer() *Server {
	s := new(Server)
	echo.Handle(s, func(_ context.Context, in string, send func(int)) (string, error) {
		for i := range 3 {
			send(i)
		}
		return in, nil
	})
	block.Handle(s, func(ctx context.Context, _ struct{}, send func(string)) (string, error) {
		send("begun")
		<-ctx.Done()
		blocked <- context.Cause(ctx)
		return "", ctx.Err()
	})
	flood.Handle(s, func(ctx context.Context, n int, send func([]byte)) (int, error) {
		for range n {
			if ctx.Err() != nil {
				break
			}
			send(make([]byte, 48<<10))
			flooded.Add(1)
		}
		return n, nil
	})
	fails.Handle(s, fail)
	return s
}

func fail(_ context.Context, how string, _ func(struct{})) (struct{}, error) {
	switch how {
	case "panic":
		panic("on the agent")
	case "nil":
		var p *inputError
		return struct{}{}, p.error
	case "canceled":
		return struct{}{}, fmt.Errorf("cannot wait: %w", context.Canceled)
	case "deadline":
		return struct{}{}, fmt.Errorf("cannot wait: %w", context.DeadlineExceeded)
	case "input":
		return struct{}{}, hint.Errorf("write 8GiB", "cannot use the file: %w", inputError{errors.New("no unit")})
	case "long":
		return struct{}{}, errors.New(strings.Repeat("\x00", 100_000))
	}
	return struct{}{}, errors.New("cannot do it: " + how)
}

// ends returns both ends of a connection. Each is one of net.Pipe, or a pair of pipes of the kernel.
var ends = map[string]func(testing.TB) (caller, agent io.ReadWriteCloser){
	"net.Pipe": func(testing.TB) (caller, agent io.ReadWriteCloser) { return net.Pipe() },
	"os.Pipe": func(t testing.TB) (caller, agent io.ReadWriteCloser) {
		down, toAgent, err1 := os.Pipe()
		up, toCaller, err2 := os.Pipe()
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return Streams(up, toAgent), Streams(down, toCaller)
	},
}

// connectEnds starts an agent, and returns the connection and what will be the agent's error.
func connectEnds(t testing.TB, kind string, s *Server, caller, agent Options) (*Conn, chan error) {
	t.Helper()
	near, far := ends[kind](t)
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), far, agent); close(served) }()
	c, err := Connect(t.Context(), near, caller)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Close(), <-served })
	return c, served
}

func connect(t testing.TB) *Conn {
	o := Options{Version: "v1", Kinds: []Kind{input}}
	c, _ := connectEnds(t, "net.Pipe", newServer(), o, o)
	return c
}

func TestCall(t *testing.T) {
	for kind := range ends {
		t.Run(kind, func(t *testing.T) {
			c, served := connectEnds(t, kind, newServer(), Options{}, Options{})
			checkEcho(t, c)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Errorf("Serve = %v, want nil: the caller closed the connection", err)
			}
			var lost *LostError
			if _, err := echo.Call(t.Context(), c, "", nil); !errors.As(err, &lost) {
				t.Errorf("Call after Close: %v", err)
			}
		})
	}
}

// checkEcho checks the result, and that the events come in order and before it.
func checkEcho(t *testing.T, c *Conn) {
	t.Helper()
	var events []int
	got, err := echo.Call(t.Context(), c, "<héllo>", func(i int) { events = append(events, i) })
	if err != nil || got != "<héllo>" || fmt.Sprint(events) != "[0 1 2]" {
		t.Errorf("Call = %q, %v, events %v", got, err, events)
	}
}

func TestConcurrentCalls(t *testing.T) {
	c := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	var begun, ended sync.WaitGroup
	for range 200 {
		begun.Add(1)
		ended.Go(func() {
			_, err := block.Call(ctx, c, struct{}{}, func(string) { begun.Done() })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled call: %v", err)
			}
		})
	}
	begun.Wait() // all are in progress
	checkEcho(t, c)
	cancel()
	ended.Wait()
	for range 200 {
		if err := <-blocked; err == nil { // cancellation reached each handler
			t.Error("a handler ended without a cause")
		}
	}
}

func TestDeadline(t *testing.T) {
	s, wait := newServer(), Method[int, int, int]{"wait"}
	wait.Handle(s, func(ctx context.Context, _ int, _ func(int)) (int, error) {
		<-ctx.Done()
		return 0, nil
	})
	c, _ := connectEnds(t, "net.Pipe", s, Options{}, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := wait.Call(ctx, c, 0, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	checkEcho(t, c) // the connection is still usable
}

// TestBackPressure checks that an agent stops sending while the caller does not read.
func TestBackPressure(t *testing.T) {
	c := connect(t)
	flooded.Store(0)
	const events = 80 // of 64 KiB, in base64
	stop, seen := make(chan struct{}), 0
	done := make(chan error, 1)
	go func() {
		_, err := flood.Call(t.Context(), c, events, func([]byte) {
			if seen++; seen == 1 {
				<-stop
			}
		})
		done <- err
	}()
	// The window is full once the number no longer grows during ten other calls. If they were too
	// quick for the flood, the number would be smaller, and the test would pass.
	for before := int64(-1); before != flooded.Load(); {
		before = flooded.Load()
		for range 10 {
			if _, err := echo.Call(t.Context(), c, "", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sent := flooded.Load(); sent > 2*streamWindow/(64<<10) {
		t.Errorf("%d events were sent to a caller that does not read", sent)
	}
	close(stop)
	if err := <-done; err != nil || seen != events {
		t.Errorf("%d events, %v", seen, err)
	}
}

func TestErrors(t *testing.T) {
	c := connect(t)
	tests := []struct {
		how, text, hint string
		is              error
	}{
		{how: "badly", text: "cannot do it: badly"},
		{how: "panic", text: "cannot carry out fail: panic at wire_test.go:"},
		{how: "nil", text: "nil pointer dereference"},
		{how: "canceled", text: "cannot wait: context canceled", is: context.Canceled},
		{how: "deadline", text: "cannot wait: context deadline exceeded", is: context.DeadlineExceeded},
		{how: "input", text: "cannot use the file: no unit", hint: "write 8GiB"},
		{how: "long", text: "\x00 …"},
	}
	for _, test := range tests {
		_, err := fails.Call(t.Context(), c, test.how, nil)
		if err == nil || !strings.Contains(err.Error(), test.text) || hint.Of(err) != test.hint {
			t.Errorf("%s: error %v, hint %q", test.how, err, hint.Of(err))
		}
		if test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: %v is not %v", test.how, err, test.is)
		}
		if errors.As(err, new(inputError)) != (test.how == "input") {
			t.Errorf("%s: kind of %v", test.how, err)
		}
	}
	if _, err := (Method[string, int, string]{"missing"}).Call(t.Context(), c, "", nil); err == nil || !strings.Contains(err.Error(), `"missing": the agent has no such method`) {
		t.Errorf("error %v", err)
	}
	checkEcho(t, c)
}

// TestLimits checks messages that are too large for one end or the other.
func TestLimits(t *testing.T) {
	large := strings.Repeat("x", 3000)
	small := Options{Request: unit.KiB, Event: unit.KiB, Result: unit.KiB}
	tests := []struct {
		name          string
		caller, agent Options
		in            string
		event         any
		out           any
		want          string // the beginning of the error
	}{
		{"request, caller", small, Options{}, large, "", "", "cannot call any: the request has 3003 bytes, more than 1KiB"},
		{"request, agent", Options{}, small, large, "", "", "cannot carry out any: the request has more than 1KiB"},
		{"event, agent", Options{}, small, "", large, "", "cannot send an event of any: an event has 3003 bytes, more than 1KiB"},
		{"event, caller", small, Options{}, "", large, "", "cannot call any: an event has 3003 bytes, more than 1KiB"},
		{"result, agent", Options{}, small, "", "", large, "cannot send the result of any: the result has 3003 bytes, more than 1KiB"},
		{"result, caller", small, Options{}, "", "", large, "cannot call any: the result has 3003 bytes, more than 1KiB"},
		{"a function in an event", Options{}, Options{}, "", func() {}, "", "cannot send an event of any: cbor: unsupported type: func()"},
		{"a function in a result", Options{}, Options{}, "", "", func() {}, "cannot send the result of any: cbor: unsupported type: func()"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			method := Method[string, any, any]{"any"}
			s := new(Server)
			nothing := Method[int, int, int]{"nothing"}
			nothing.Handle(s, func(context.Context, int, func(int)) (int, error) { return 0, nil })
			method.Handle(s, func(_ context.Context, _ string, send func(any)) (any, error) {
				send(test.event)
				send("another")
				return test.out, nil
			})
			c, _ := connectEnds(t, "net.Pipe", s, test.caller, test.agent)
			out, err := method.Call(t.Context(), c, test.in, nil)
			if err == nil || err.Error() != test.want || out != nil {
				t.Errorf("result %v, error %v, want %s", out, err, test.want)
			}
			if _, err := nothing.Call(t.Context(), c, 0, nil); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// TestStrict checks that a message with an unknown field is an error on both ends.
func TestStrict(t *testing.T) {
	type one struct{ A int }
	type two struct{ A, B int }
	s := new(Server)
	Method[one, one, two]{"both"}.Handle(s, func(context.Context, one, func(one)) (two, error) { return two{}, nil })
	c, _ := connectEnds(t, "net.Pipe", s, Options{}, Options{})
	if _, err := (Method[two, one, two]{"both"}).Call(t.Context(), c, two{}, nil); err == nil || err.Error() != "cannot read the request of both: cbor: found unknown field at map element index 1" {
		t.Errorf("error %v", err)
	}
	if _, err := (Method[one, one, one]{"both"}).Call(t.Context(), c, one{}, nil); err == nil || err.Error() != "cannot call both: cbor: found unknown field at map element index 1" {
		t.Errorf("error %v", err)
	}
}

// message has a field of each type that is difficult to encode.
type message struct {
	Gaps    []float64
	Gap     float64
	At      time.Time
	Wait    time.Duration
	Map     map[int]*int
	Nil     *string
	Zero    *int
	Bytes   []byte
	Empty   []string
	NoList  []string
	Text    string // not UTF-8, as a file name can be
	Secret  conninfo.Conninfo
	Largest uint64
	Any     error `json:"-"`
}

func TestRoundTrip(t *testing.T) {
	zero := 0
	method := Method[message, message, message]{"same"}
	s := new(Server)
	method.Handle(s, func(_ context.Context, in message, send func(message)) (message, error) {
		send(in)
		return in, nil
	})
	c, _ := connectEnds(t, "net.Pipe", s, Options{}, Options{})
	odd := math.Float64frombits(0x7ff8_0000_dead_beef) // another NaN
	at := time.Date(2026, 10, 25, 2, 30, 0, 123456789, time.FixedZone("", 7200))
	for _, want := range []message{
		{Gaps: []float64{1.5, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), odd}, Gap: math.Inf(-1), At: at, Wait: -time.Nanosecond,
			Map: map[int]*int{-1: nil, 2: &zero}, Zero: &zero, Bytes: []byte{0xff, 0}, Empty: []string{}, Text: "a\xffb", Secret: "postgresql://me:secret@db/shop", Largest: math.MaxUint64},
		{Gaps: []float64{}, Gap: 0.1, At: time.Now().Round(0).UTC(), Bytes: []byte{}},
		{},
	} {
		got, err := method.Call(t.Context(), c, want, func(e message) { same(t, e, want) })
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
	if got, err := method.Call(t.Context(), c, message{Gap: math.NaN()}, nil); err != nil || !math.IsNaN(got.Gap) {
		t.Errorf("NaN became %v, %v", got.Gap, err)
	}
}

func same(t *testing.T, got, want message) {
	t.Helper()
	if !got.At.Equal(want.At) || len(got.Gaps) != len(want.Gaps) || (got.Gaps == nil) != (want.Gaps == nil) {
		t.Errorf("got %+v, want %+v", got, want)
		return
	}
	for i := range want.Gaps {
		if math.IsNaN(got.Gaps[i]) && math.IsNaN(want.Gaps[i]) {
			continue
		}
		if math.Float64bits(got.Gaps[i]) != math.Float64bits(want.Gaps[i]) {
			t.Errorf("number %d: %v, want %v", i, got.Gaps[i], want.Gaps[i])
		}
	}
	got.At, got.Gaps = want.At, want.Gaps
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTwoHandlers(t *testing.T) {
	s := newServer()
	echo.Handle(s, func(context.Context, string, func(int)) (string, error) { return "", nil })
	_, far := net.Pipe()
	if err := s.Serve(t.Context(), far, Options{}); err == nil || err.Error() != "cannot serve: echo has two handlers" {
		t.Errorf("error %v", err)
	}
}

// TestSendAfterReturn checks that an event from a goroutine that outlives its handler is dropped.
func TestSendAfterReturn(t *testing.T) {
	method := Method[struct{}, int, int]{"late"}
	s := new(Server)
	sent, returned := make(chan struct{}), make(chan struct{})
	method.Handle(s, func(_ context.Context, _ struct{}, send func(int)) (int, error) {
		go func() { <-returned; send(1); close(sent) }()
		return 7, nil
	})
	c, _ := connectEnds(t, "net.Pipe", s, Options{}, Options{})
	got, err := method.Call(t.Context(), c, struct{}{}, func(int) { t.Error("an event arrived") })
	close(returned)
	<-sent
	if got != 7 || err != nil {
		t.Errorf("Call = %d, %v", got, err)
	}
}

// TestLargeRequest checks that the caller gets the error of an agent that does not read the request.
func TestLargeRequest(t *testing.T) {
	c, _ := connectEnds(t, "os.Pipe", newServer(), Options{}, Options{Request: unit.KiB})
	body := strings.Repeat("x", 2*streamWindow) // more than the agent receives before it is read
	for range 5 {
		_, err := echo.Call(t.Context(), c, body, nil)
		if err == nil || err.Error() != "cannot carry out echo: the request has more than 1KiB" {
			t.Fatalf("error %v", err)
		}
	}
}

// TestGoroutines checks that connections leave no goroutine behind.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		t.Run("", func(t *testing.T) { checkEcho(t, connect(t)) })
	}
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// TestAnswer checks answers that are not complete, or not what was sent.
func TestAnswer(t *testing.T) {
	frame, err := encode(frameResult, "abc")
	if err != nil {
		t.Fatal(err)
	}
	result := string(frame)
	tests := []struct{ name, answer, want string }{
		{"complete", result, ""},
		{"no result", "", "unexpected EOF"},
		{"a part of a result", result[:6], "unexpected EOF"},
		{"after the end", result + result, "the answer continues after its end"},
		{"two values", string(frameResult) + "\x00\x00\x00\x02\xa0\xa0", "more follows the message"},
		{"too large", string(frameResult) + "\x00\x00\x04\x01", "the result has 1025 bytes, more than 1KiB"},
		{"unknown", "?\x00\x00\x00\x00", "unexpected type of message '?'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &frames{r: strings.NewReader(test.answer), limits: map[byte]limit{frameResult: {"the result", unit.KiB}, frameError: {"the error", mostError}}}
			failed, err := f.messages(func(_ byte, data []byte) error { return decode(data, new(any)) })
			if failed != nil || fmt.Sprint(err) != test.want && (err != nil || test.want != "") {
				t.Errorf("failure %v, error %v, want %s", failed, err, test.want)
			}
		})
	}
}
