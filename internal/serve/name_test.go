package serve

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNothingOutsideTheStoreIsReached, however it is asked for.
func TestNothingOutsideTheStoreIsReached(t *testing.T) {
	parent := t.TempDir()
	store := filepath.Join(parent, "store")
	name := finished(t, store, "inside")
	outside := finished(t, parent, "outside")
	if err := os.Symlink(filepath.Join(parent, outside), filepath.Join(store, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(store, "no-record", "secret.txt"), "secret")
	write(t, filepath.Join(store, "secret.txt"), "secret")
	s := started(t, Options{Store: store})
	for _, path := range []string{
		"/record/../" + outside, "/record/%2e%2e/" + outside, "/record/..%2f" + outside, "/record/%2e%2e%2f" + outside,
		"/record/..%5c" + outside, "/record/" + url.PathEscape(filepath.Join(parent, outside)), "/record/link", "/record/link/", "/record/.",
		"/record/%2e", "/record/..", "/record/" + name + "/..", "/record/" + name + "%00", "/record/%00", "/record/" + name + "/record.json",
		"/record/" + name + "/", "//record/" + name, "/record//" + name, "/record/" + name[:8], "/record/latest", "/record/",
		"/record/" + strings.Repeat("a", 256), "/record/" + strings.Repeat("%41", 900), "/record/no-record", "/record/secret.txt", "/record/inside%2f..%2f" + name,
		"/secret.txt", "/store", "/results", "/no-record/", "/assets/", "/assets/..%2fpage.js", "/assets/.gitignore", "/assets", "/record",
	} {
		got := raw(t, s, path)
		if got.StatusCode != http.StatusNotFound || strings.Contains(got.body, parent) || strings.Contains(got.body, "page of") {
			t.Errorf("%s: %s\n%s", path, got.Status, got.body)
		}
		for _, what := range []string{"/live", "/run?path=disk/tpcb-like/c2-j1/r01"} {
			if got := raw(t, s, "/api"+path+what); got.StatusCode != http.StatusNotFound {
				t.Errorf("/api%s%s: %s", path, what, got.Status)
			}
		}
	}
	if got := ask(t, s, "/record/"+name); got.StatusCode != http.StatusOK || got.body != "page of "+name+": 1 runs, complete" {
		t.Errorf("%s: %s %s", name, got.Status, got.body)
	}
	if got := raw(t, s, "/record/"+strings.Repeat("a", longestPath+maxQuery)); got.StatusCode != http.StatusRequestURITooLong {
		t.Errorf("a very long path: %s", got.Status)
	}
}

// raw asks for a path as it stands: net/http's client would tidy it up.
func raw(t *testing.T, s *Server, path string) answer {
	t.Helper()
	conn, err := net.DialTimeout("tcp", s.listener.Addr().String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, s.listener.Addr())
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body strings.Builder
	if _, err := bufio.NewReader(response.Body).WriteTo(&body); err != nil {
		t.Fatal(err)
	}
	return answer{response, body.String()}
}

// TestHostileNames: a directory may be called anything; nothing of it is markup.
func TestHostileNames(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "plain")
	for _, name := range []string{`<script>alert(1)</script>`[:8] + `>alert(1)`, `"onmouseover='x'`, "line\nbreak", "right\u202eleft", "a b?c#d%2f&e;f", "\x80\xff", strings.Repeat("é", 127)} {
		if err := os.CopyFS(filepath.Join(store, name), os.DirFS(w.Path())); err != nil {
			t.Fatal(err)
		}
		s := started(t, Options{Store: store})
		got := ask(t, s, recordPath(name))
		if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.body, "page of "+name) {
			t.Errorf("%q: %s %s", name, got.Status, got.body)
		}
		list := ask(t, s, "/")
		for _, text := range []string{"<script>alert", "\u202e", `"onmouse`, "line\nbreak"} {
			if strings.Contains(list.body, text) {
				t.Errorf("%q stands in the list", text)
			}
		}
		if want := `href="` + strings.NewReplacer("&", "&amp;", "'", "&#39;", ";", "%3B").Replace(recordPath(name)) + `"`; !strings.Contains(list.body, want) {
			t.Errorf("no %s in the list:\n%s", want, list.body)
		}
	}
}

// FuzzName: no name leads out of the store, and no request brings the server down.
func FuzzName(f *testing.F) {
	parent := f.TempDir()
	store := filepath.Join(parent, "store")
	name := finished(f, store, "inside")
	outside := finished(f, parent, "outside")
	for _, seed := range []string{name, "../" + outside, "..", ".", "", "/", "a/b", "a\x00b", "%2e%2e", "link", strings.Repeat("x", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := versionOf(store, text)
		if (err == nil) != (text == name) {
			t.Errorf("%q: %v", text, err)
		}
		if isName(text) && filepath.Dir(filepath.Join(store, text)) != store {
			t.Errorf("%q leads out of the store", text)
		}
	})
}
