package serve

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
)

func TestStartMistakes(t *testing.T) {
	taken := started(t, Options{Store: t.TempDir()}).listener.Addr().String()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for _, c := range []struct{ listen, store, want, hint string }{
		{taken, "", "cannot serve at " + taken + ": address already in use", "127.0.0.1:0"},
		{"7432", "", `cannot serve at "7432": not an address`, "127.0.0.1:7432"},
		{"127.0.0.1:99999", "", "cannot serve at 127.0.0.1:99999: ", "127.0.0.1:7432"},
		{"192.0.2.1:0", "", "cannot serve at 192.0.2.1:0: cannot assign requested address", "an address of this machine"},
		{"127.0.0.1:0", file, "cannot serve " + file + ": it is not a directory", "--store"},
	} {
		s, err := Start(Options{Store: c.store, Listen: c.listen, pages: plainPages{}})
		if err == nil {
			s.Stop()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hint) {
			t.Errorf("%s, %s: %v, hint %q", c.listen, c.store, err, hint.Of(err))
		}
	}
}

// TestURL: what is printed can be opened, whatever the record is called.
func TestURL(t *testing.T) {
	store := t.TempDir()
	s := started(t, Options{Store: store})
	if !strings.HasPrefix(s.URL(""), "http://127.0.0.1:") || !strings.HasSuffix(s.URL(""), "/") || s.Open() {
		t.Errorf("URL %s, open %v", s.URL(""), s.Open())
	}
	get := func(address string) answer {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return ask(t, s, u.RequestURI())
	}
	if got := get(s.URL("") + "latest"); got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "The store has no records yet") {
		t.Errorf("latest of none: %s %s", got.Status, got.body)
	}
	name := finished(t, store, "one") // in a store that was there before it
	for _, got := range []answer{get(s.URL(name)), get(get(s.URL("") + "latest").Header.Get("Location"))} {
		if !strings.HasPrefix(got.body, "page of "+name) {
			t.Errorf("%s: %s %s", got.Request.URL, got.Status, got.body)
		}
	}
}

// TestWait ends with what it waits for.
func TestWait(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ctx); err != nil {
		t.Error(err)
	}
	if err := s.listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "cannot continue to serve: ") {
		t.Errorf("after the listener went: %v", err)
	}
}

// TestWhoDawdlesIsCutOff: a request that never ends holds nothing up for long.
func TestWhoDawdlesIsCutOff(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	if s.server.ReadHeaderTimeout > 5*time.Second || s.server.ReadTimeout == 0 || s.server.IdleTimeout == 0 || s.server.WriteTimeout == 0 {
		t.Errorf("%+v", s.server)
	}
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	large := "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n"
	if _, err := conn.Write([]byte(large)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.1 431" {
		t.Errorf("a header of 40 KiB: %q, %v", answer, err)
	}
}
