package serve

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"plinth/internal/hint"
)

// guard passes on requests that a user makes in a browser, and refuses all others.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		if status, err := s.refusal(r); err != nil {
			if status == http.StatusMethodNotAllowed {
				w.Header().Set("Allow", "GET, HEAD")
			}
			refuse(w, r, status, err)
			return
		}
		if s.token != "" && !s.admit(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// protect sets the security headers, on error pages as well.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "+
		"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "private, no-cache")
}

// longestPath exceeds the length of any path with a record's name, in bytes.
const longestPath = 4 << 10

// refusal returns the status and the reason for refusing a request; 0 and nil to accept it.
func (s *Server) refusal(r *http.Request) (int, error) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, hint.Errorf("use GET or HEAD", "plinth serve is read-only")
	case !s.hosts.know(r.Host):
		return http.StatusForbidden, hint.Errorf("open http://"+s.hosts.address+"/; a forwarded port must have the same number at both ends",
			"the request names a host that plinth does not serve")
	case !s.ownPage(r):
		return http.StatusForbidden, hint.Errorf("open the address in a separate tab", "the request comes from another site")
	case len(r.RequestURI) > longestPath+maxQuery:
		return http.StatusRequestURITooLong, hint.Errorf("start at the list of records", "the address is too long")
	case !isClean(r.URL):
		return http.StatusNotFound, errNotFound
	}
	return 0, nil
}

// ownPage reports whether a request comes from one of our pages, or from a user who typed an
// address or followed a link. Old browsers send none of these headers; for them only the
// same-origin policy protects the pages.
// (https://www.w3.org/TR/fetch-metadata/)
func (s *Server) ownPage(r *http.Request) bool {
	if origin, found := r.Header["Origin"]; found {
		return len(origin) == 1 && origin[0] == "http://"+r.Host
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	// A link on another site: it opens our page, but cannot read it.
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isClean reports whether a path is in canonical form. ServeMux would redirect other paths; none
// of our pages links to one.
func isClean(u *url.URL) bool {
	return strings.HasPrefix(u.Path, "/") && !strings.ContainsRune(u.Path, 0) && path.Clean(u.EscapedPath()) == u.EscapedPath()
}
