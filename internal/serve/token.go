package serve

import (
	"crypto/subtle"
	"net/http"

	"plinth/internal/hint"
)

// admit reports whether a request has the token: in the address the first time, then in a
// cookie. It redirects from the address with the token to one without, so that the token does
// not appear on the screen, in the history, or in links that users share.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	// Lax rather than Strict: users open the printed address, and links to records, from chats
	// and mails. No request changes anything, and the guard has checked where it comes from.
	if s.isToken(query.Get("token")) {
		http.SetCookie(w, &http.Cookie{
			Name: s.cookie(), Value: s.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		query.Del("token")
		there := *r.URL
		there.RawQuery = query.Encode()
		w.Header().Set("Location", there.RequestURI())
		w.WriteHeader(http.StatusSeeOther)
		return false
	}
	if cookie, err := r.Cookie(s.cookie()); err == nil && s.isToken(cookie.Value) {
		return true
	}
	refuse(w, r, http.StatusUnauthorized,
		hint.Errorf("open the full address that plinth serve printed, including its token", "a token is required"))
	return false
}

// cookie returns the name of the cookie. It includes the port because browsers send cookies to
// all ports of a host.
func (s *Server) cookie() string { return "plinth_" + s.hosts.port }

func (s *Server) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.token)) == 1
}
