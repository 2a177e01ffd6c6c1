package wire

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"plinth/internal/unit"
)

// FuzzAgent checks that the agent answers any request with one complete answer.
func FuzzAgent(f *testing.F) {
	s, o := newServer(), Options{Request: unit.KiB}.withDefaults()
	same := Method[message, message, message]{"same"}
	same.Handle(s, func(_ context.Context, in message, send func(message)) (message, error) {
		send(in)
		return in, nil
	})
	for _, name := range []string{"echo", "fail", "same", "missing", "..", ""} {
		for _, body := range []string{"\x64text", "\xa0", "\xa1dGaps\x82\xf9\x7e\x00\x01", "\xa2cGap\xf9\x7e\x00eBytes\x41\xff", "\x9f", "\x01\x02", "\xbb\xff\xff\xff\xff\xff\xff\xff\xff", ""} {
			f.Add(name, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		if name == block.Name || name == flood.Name {
			return // they take long
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL.Path = "/" + name
		w := httptest.NewRecorder()
		(&session{server: s, options: o}).ServeHTTP(w, r)
		answer := &frames{r: w.Body, limits: map[byte]limit{
			frameEvent: {"an event", o.Event}, frameResult: {"the result", o.Result}, frameError: {"the error", mostError}}}
		if _, err := answer.messages(func(byte, []byte) error { return nil }); err != nil {
			t.Errorf("%q of %q: %v", body, name, err)
		}
	})
}

// FuzzCaller checks that the caller reads any answer without a panic, and that it allocates no more
// memory than a multiple of what arrived.
func FuzzCaller(f *testing.F) {
	for _, m := range []any{message{}, failure{Text: "cannot", Hint: "do", Ended: "canceled", Kind: "input"}} {
		for _, kind := range []byte{frameEvent, frameResult, frameError} {
			frame, err := encode(kind, m)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(frame)
			f.Add(frame[:len(frame)-1])
			f.Add(append(frame, frame...))
		}
	}
	f.Add([]byte{frameResult, 0x03, 0xff, 0xff, 0xff})
	f.Add([]byte{frameResult, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte(nil))
	limits := map[byte]limit{frameEvent: {"an event", unit.MiB}, frameResult: {"the result", 64 * unit.MiB}, frameError: {"the error", mostError}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer := &frames{r: bytes.NewReader(data), limits: limits}
		failed, err := answer.messages(func(_ byte, data []byte) error { return decode(data, new(message)) })
		if err == nil && failed != nil && failed.err([]Kind{input}).Error() != failed.Text {
			t.Errorf("%q became an error with another text", failed.Text)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20+100*uint64(len(data)) {
			t.Errorf("%d bytes of memory for an answer of %d bytes", used, len(data))
		}
	})
}

// FuzzGreeting checks that a line is a greeting only if it is the one that this version sends.
func FuzzGreeting(f *testing.F) {
	for _, line := range []string{"plinth-wire 1 \"v1\"", "plinth-wire 1 \"v\\x31\"\r", "plinth-wire 2 `v1`", "Welcome\n", "\r\n\n"} {
		f.Add(line)
	}
	want, err := greeting("v1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		line, err := readLine(strings.NewReader(sent))
		if len(line) > mostGreeting {
			t.Errorf("a line of %d bytes", len(line))
		}
		if err == nil && checkGreeting(line, "v1") == nil && line+"\n" != want {
			t.Errorf("%q is a greeting", line)
		}
	})
}
