package serve

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"plinth/internal/hint"
)

// guard lets pass what a person at the browser asks for, and nothing else.
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

// protect sets what the browser shall hold the page to, also where it is an error.
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

// longestPath is longer than any name of a record in an address.
const longestPath = 4 << 10

// refusal is why a request is not answered.
func (s *Server) refusal(r *http.Request) (int, error) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, hint.Errorf("GET and HEAD are all there is", "plinth serve only reads")
	case !s.hosts.know(r.Host):
		return http.StatusForbidden, hint.Errorf("open http://"+s.hosts.address+"/; a forwarded port must have the same number on both sides",
			"this is not the address at which plinth serves")
	case !s.ownPage(r):
		return http.StatusForbidden, hint.Errorf("open the address in a tab of its own", "another site asks for this")
	case len(r.RequestURI) > longestPath+maxQuery:
		return http.StatusRequestURITooLong, hint.Errorf("begin at the list", "the address is too long")
	case !isClean(r.URL):
		return http.StatusNotFound, errNotFound
	}
	return 0, nil
}

// ownPage says whether it is one of our pages that asks, or a person who typed an
// address or followed a link. Old browsers send none of these headers; they are
// kept out by the same-origin policy as ever.
// (https://www.w3.org/TR/fetch-metadata/)
func (s *Server) ownPage(r *http.Request) bool {
	if origin, found := r.Header["Origin"]; found {
		return len(origin) == 1 && origin[0] == "http://"+r.Host
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	// A link on another page: it opens ours, and sees nothing of it.
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isClean keeps out paths that would be tidied up by a redirect: no page of ours
// has such a link.
func isClean(u *url.URL) bool {
	return strings.HasPrefix(u.Path, "/") && !strings.ContainsRune(u.Path, 0) && path.Clean(u.EscapedPath()) == u.EscapedPath()
}
