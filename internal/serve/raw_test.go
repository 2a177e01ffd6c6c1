package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// dial connects to a server without an HTTP client, which would refuse to send what attackers send.
func dial(t *testing.T, s *Server) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// TestRawRequests sends requests that no browser makes. OWN is the server's own address.
func TestRawRequests(t *testing.T) {
	store := t.TempDir()
	finished(t, store, "one")
	s := started(t, Options{Store: store})
	for request, want := range map[string]int{
		"GET / HTTP/1.1\r\nHost: OWN\r\n\r\n":                                                    200,
		"HEAD / HTTP/1.1\r\nHost: OWN\r\n\r\n":                                                   200,
		"GET / HTTP/1.1\r\n\r\n":                                                                 400,
		"GET / HTTP/1.1\r\nHost: OWN\r\nHost: OWN\r\n\r\n":                                       400,
		"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                           403,
		"GET / HTTP/1.0\r\n\r\n":                                                                 403,
		"GET http://evil.example/ HTTP/1.1\r\nHost: OWN\r\n\r\n":                                 403,
		"GET http://OWN/ HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                 200, // RFC 9112, 3.2.2: Host is ignored
		"GET / HTTP/1.1\r\nHost: OWN\r\nOrigin: null\r\n\r\n":                                    403,
		"GET / HTTP/1.1\r\nHost: OWN\r\nOrigin: http://OWN\r\n\r\n":                              200,
		"GET / HTTP/1.1\r\nHost: OWN\r\nOrigin: http://OWN\r\nOrigin: http://evil\r\n\r\n":       403,
		"GET / HTTP/1.1\r\nHost: OWN\r\nOrigin: https://OWN\r\n\r\n":                             403,
		"GET / HTTP/1.1\r\nHost: OWN\r\nOrigin: http://localhost:1\r\n\r\n":                      403,
		"GET / HTTP/1.1\r\nHost: OWN\r\nSec-Fetch-Site: cross-site\r\n\r\n":                      403,
		"CONNECT evil.example:80 HTTP/1.1\r\nHost: OWN\r\n\r\n":                                  405,
		"POST / HTTP/1.1\r\nHost: OWN\r\nContent-Length: 5\r\n\r\nhello":                         405,
		"get / HTTP/1.1\r\nHost: OWN\r\n\r\n":                                                    405,
		"GET //evil.example/ HTTP/1.1\r\nHost: OWN\r\n\r\n":                                      404,
		"GET /record/../../etc/passwd HTTP/1.1\r\nHost: OWN\r\n\r\n":                             404,
		"GET /record/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\nHost: OWN\r\n\r\n":               404,
		"GET /record/..%5c..%5cx HTTP/1.1\r\nHost: OWN\r\n\r\n":                                  404,
		"GET /record/%00 HTTP/1.1\r\nHost: OWN\r\n\r\n":                                          404,
		"GET /assets/..%2fserver.go HTTP/1.1\r\nHost: OWN\r\n\r\n":                               404,
		"GET /" + strings.Repeat("x", 8<<10) + " HTTP/1.1\r\nHost: OWN\r\n\r\n":                  414,
		"GET / HTTP/1.1\r\nHost: OWN\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n":          431,
		"GET / HTTP/1.1\r\nHost: OWN\r\nX : y\r\n\r\n":                                           400,
		"GET / HTTP/1.1\r\nHost: OWN\r\nTransfer-Encoding: gzip, chunked\r\n\r\n":                501,
		"GET / HTTP/1.1\r\nHost: OWN\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n":          400,
		"GET / HTTP/9.9\r\nHost: OWN\r\n\r\n":                                                    505,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                                       405,
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n":                                   400, // the beginning of TLS
		"GET /?q=<script>alert(1)</script> HTTP/1.1\r\nHost: OWN\r\n\r\n":                        200,
		"GET /record/<script>alert(1)</script> HTTP/1.1\r\nHost: OWN\r\n\r\n":                    404,
		"GET /api/record/x/run?path=<script>alert(1)</script> HTTP/1.1\r\nHost: OWN\r\n\r\n":     404,
		"GET /compare?a=<script>alert(1)</script>&b=x HTTP/1.1\r\nHost: OWN\r\n\r\n":             404,
		"GET /record/one?part=<script>alert(1)</script> HTTP/1.1\r\nHost: OWN\r\n\r\n":           400,
		"GET /?since=<script>alert(1)</script> HTTP/1.1\r\nHost: OWN\r\nAccept: */*\r\n\r\n":     400,
		"GET / HTTP/1.1\r\nHost: OWN\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n":       200,
		"GET / HTTP/1.1\r\nHost: OWN\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n": 200,
	} {
		conn := dial(t, s)
		if _, err := io.WriteString(conn, strings.ReplaceAll(request, "OWN", s.listener.Addr().String())); err != nil {
			t.Fatal(err)
		}
		shown := request[:min(len(request), 80)]
		response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: strings.Fields(request + " x")[0]})
		if err != nil {
			t.Errorf("%q: %v", shown, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != want || err != nil {
			t.Errorf("%q: %s, want %d, %v\n%.300s", shown, response.Status, want, err, body)
		}
		if strings.Contains(string(body), "<script>alert") || response.Header.Get("Location") != "" {
			t.Errorf("%q: Location %q\n%s", shown, response.Header.Get("Location"), body)
		}
	}
}

// TestManyConnections opens 2,000 connections that send half a request each. The next user is
// served.
func TestManyConnections(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "one")
	s := started(t, Options{Store: store})
	for range 2000 {
		if _, err := io.WriteString(dial(t, s), "GET /record/"+name+" HTTP/1.1\r\nHost: "); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/", "/record/" + name, "/api/records"} {
		if got := ask(t, s, path); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, got.Status)
		}
	}
	listen(t, s, name).untilRuns(1)
}

// TestGoneClients resets the connections of streams. The server forgets them.
func TestGoneClients(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "running")
	parts := strings.Split(w.Path(), "/")
	s := started(t, Options{Store: store, poll: fast})
	for range mostStreams {
		conn := dial(t, s)
		if _, err := io.WriteString(conn, "GET /api/record/"+parts[len(parts)-1]+"/live HTTP/1.1\r\nHost: "+s.listener.Addr().String()+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := conn.SetLinger(0); err != nil { // a reset, not an orderly end
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(fast) {
		s.hub.mu.Lock()
		streams, watches := s.hub.streams, len(s.hub.watches)
		s.hub.mu.Unlock()
		if streams == 0 && watches == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d streams, %d watches", streams, watches)
		}
	}
}

// TestBusyServer checks that records which are being rendered do not hold up other pages.
func TestBusyServer(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "one")
	s := started(t, Options{Store: store})
	for range mostBusy - 1 {
		s.library.turns <- struct{}{} // a request that renders for long
	}
	for _, path := range []string{"/", "/record/" + name, "/api/records"} {
		if got := ask(t, s, path); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, got.Status)
		}
	}
}
