package serve

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestTakesGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"gzip": true, "gzip, deflate, br": true, "deflate, GZIP;q=0.5": true, "*": true, "br;q=1, gzip; q=0.1": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.0": false, "*;q=0": false, "xgzip": false, "gzip;q=x": false,
	} {
		if got := takesGzip(accept); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

// TestCompressedOnlyWhereAsked: the same page, shorter.
func TestCompressedOnlyWhereAsked(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	plain := ask(t, s, "/", header("Accept-Encoding", "identity"))
	if plain.Header.Get("Content-Encoding") != "" || !strings.Contains(plain.body, "<!doctype html>") {
		t.Errorf("not asked: %v", plain.Header)
	}
	packed := ask(t, s, "/", header("Accept-Encoding", "gzip"))
	if packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Vary") != "Accept-Encoding" || len(packed.body) >= len(plain.body) {
		t.Fatalf("asked: %v, %d bytes for %d", packed.Header, len(packed.body), len(plain.body))
	}
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != plain.body {
		t.Errorf("%v:\n%s", err, body)
	}
	if head := ask(t, s, "/", header("Accept-Encoding", "gzip"), func(r *http.Request) { r.Method = http.MethodHead }); head.ContentLength != int64(len(packed.body)) {
		t.Errorf("HEAD says %d bytes, GET sends %d", head.ContentLength, len(packed.body))
	}
}
