package serve

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestOnlyWhatReadsIsAnswered: whatever else there is in HTTP changes nothing here.
func TestOnlyWhatReadsIsAnswered(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
		for _, path := range []string{"/", "/api/records", "/record/x", "/assets/page.js"} {
			got := ask(t, s, path, func(r *http.Request) { r.Method = method })
			if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %s, Allow %q", method, path, got.Status, got.Header.Get("Allow"))
			}
		}
	}
	got := ask(t, s, "/", func(r *http.Request) { r.Method = http.MethodHead })
	if got.StatusCode != http.StatusOK || got.body != "" || got.ContentLength < 100 {
		t.Errorf("HEAD: %s, %d bytes of %d", got.Status, len(got.body), got.ContentLength)
	}
}

// TestRebinding: a name that leads to this machine is not a name of this server.
func TestRebinding(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	for name, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "[::1]:" + port: 200, "127.1.2.3:" + port: 200,
		"evil.example:" + port: 403, "localhost.evil.example:" + port: 403, "127.0.0.1.evil.example:" + port: 403,
		"127.0.0.1": 403, "localhost": 403, "127.0.0.1:1": 403, "192.168.0.1:" + port: 403, "0.0.0.0:" + port: 403,
		"localhost.:" + port: 403, "[::]:" + port: 403, ":" + port: 403, "a:b:c": 403,
	} {
		if got := ask(t, s, "/", host(name)); got.StatusCode != want {
			t.Errorf("Host %s: %s, want %d", name, got.Status, want)
		}
	}
}

// TestHosts are those of servers that listen elsewhere.
func TestHosts(t *testing.T) {
	tcp := func(ip string) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 7432} }
	for _, c := range []struct {
		listen, address string
		know, refuse    []string
	}{
		{"10.0.0.5", "10.0.0.5", []string{"10.0.0.5:7432"}, []string{"127.0.0.1:7432", "localhost:7432", "10.0.0.6:7432", "evil.example:7432"}},
		{"db1", "10.0.0.5", []string{"db1:7432", "DB1:7432"}, []string{"10.0.0.5:7432", "db2:7432"}},
		{"0.0.0.0", "0.0.0.0", []string{"10.0.0.5:7432", "[fe80::1]:7432", "localhost:7432"}, []string{"evil.example:7432", "10.0.0.5:80"}},
		{"", "::", []string{"10.0.0.5:7432", "localhost:7432"}, []string{"evil.example:7432"}},
		{"db1", "127.0.1.1", []string{"db1:7432", "localhost:7432", "127.0.1.1:7432"}, []string{"db2:7432"}},
		{"::1", "::1", []string{"[::1]:7432", "localhost:7432"}, []string{"[::2]:7432"}},
	} {
		h := hostsOf(c.listen, tcp(c.address))
		for _, host := range c.know {
			if !h.know(host) {
				t.Errorf("listening on %q: %s is not known", c.listen, host)
			}
		}
		for _, host := range c.refuse {
			if h.know(host) {
				t.Errorf("listening on %q: %s is known", c.listen, host)
			}
		}
	}
}

// TestOtherSites read nothing, but may link to a page.
func TestOtherSites(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	own := "http://" + s.listener.Addr().String()
	fetch := func(site, mode, dest string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Mode", mode)
			r.Header.Set("Sec-Fetch-Dest", dest)
		}
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"own origin":            {header("Origin", own), 200},
		"another origin":        {header("Origin", "http://evil.example"), 403},
		"no origin at all":      {header("Origin", "null"), 403},
		"empty":                 {header("Origin", ""), 403},
		"same host, other port": {header("Origin", "http://127.0.0.1:1"), 403},
		"https":                 {header("Origin", strings.Replace(own, "http:", "https:", 1)), 403},
		"two of them":           {func(r *http.Request) { r.Header["Origin"] = []string{own, "http://evil.example"} }, 403},
		"typed":                 {fetch("none", "navigate", "document"), 200},
		"own page":              {fetch("same-origin", "cors", "empty"), 200},
		"a link":                {fetch("cross-site", "navigate", "document"), 200},
		"a frame":               {fetch("cross-site", "navigate", "iframe"), 403},
		"an image":              {fetch("cross-site", "no-cors", "image"), 403},
		"a script":              {fetch("same-site", "no-cors", "script"), 403},
		"another local server":  {fetch("same-site", "cors", "empty"), 403},
	} {
		if got := ask(t, s, "/api/records", c.change); got.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", name, got.Status, c.want)
		}
	}
}

// TestProtection: every answer holds the browser to the policy, errors too.
func TestProtection(t *testing.T) {
	s := started(t, Options{Store: t.TempDir()})
	for _, got := range []answer{
		ask(t, s, "/"), ask(t, s, "/api/records"), ask(t, s, "/nothing"), ask(t, s, "/assets/head.js"),
		ask(t, s, "/", host("evil.example")), ask(t, s, "/record/none"),
	} {
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Embedder-Policy": "require-corp",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: %s is %q", got.Request.URL, name, got.Header.Get(name))
			}
		}
		if kind := got.Header.Get("Content-Type"); kind == "" {
			t.Errorf("%s: no type", got.Request.URL)
		}
	}
}

// TestToken: who listens to more than loopback asks for one.
func TestToken(t *testing.T) {
	store := t.TempDir()
	s := started(t, Options{Store: store, Listen: "0.0.0.0:0"})
	address := "127.0.0.1:" + s.hosts.port
	here := func(r *http.Request) { r.URL.Host, r.Host = address, address }
	if !s.Open() || len(s.token) < 22 {
		t.Fatalf("open %v, token of %d letters", s.Open(), len(s.token))
	}
	for name, got := range map[string]answer{
		"none":          ask(t, s, "/", here),
		"a wrong one":   ask(t, s, "/?token="+strings.Repeat("A", len(s.token)), here),
		"part of it":    ask(t, s, "/?token="+s.token[1:], here),
		"wrong cookie":  ask(t, s, "/api/records", here, header("Cookie", s.cookie()+"=x")),
		"other cookie":  ask(t, s, "/api/records", here, header("Cookie", "token="+s.token)),
		"for the style": ask(t, s, "/assets/head.js", here),
	} {
		if got.StatusCode != http.StatusUnauthorized || strings.Contains(got.body, store) || strings.Contains(got.body, s.token) {
			t.Errorf("%s: %s\n%s", name, got.Status, got.body)
		}
	}
	first := ask(t, s, "/record/x%3Fy?part=report&token="+s.token, here)
	if first.StatusCode != http.StatusSeeOther || first.Header.Get("Location") != "/record/x%3Fy?part=report" {
		t.Fatalf("%s to %q", first.Status, first.Header.Get("Location"))
	}
	cookie := first.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Errorf("cookie %+v", cookie)
	}
	if got := ask(t, s, "/", here, func(r *http.Request) { r.AddCookie(cookie) }); got.StatusCode != http.StatusOK || strings.Contains(got.body, s.token) {
		t.Errorf("with the cookie: %s", got.Status)
	}
	if u, err := url.Parse(s.URL("a b")); err != nil || u.Query().Get("token") != s.token || u.Path != "/record/a b" {
		t.Errorf("URL %s, %v", s.URL("a b"), err)
	}
	if other := started(t, Options{Store: store, Listen: "0.0.0.0:0"}); other.token == s.token {
		t.Error("two servers have the same token")
	}
}
