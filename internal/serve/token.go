package serve

import (
	"crypto/subtle"
	"net/http"

	"plinth/internal/hint"
)

// admit lets in who has the token: in the address the first time, from then on in
// a cookie. The address is then left for one without it, so that it does not stand
// on the screen, in the history, and in links that are passed on.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	// Lax and not Strict: the address that was printed is opened from a chat or a mail,
	// and records are linked there, too. Nothing here can be changed by a request, and
	// the guard has looked at where it came from.
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
		hint.Errorf("open the whole address that plinth serve printed, with its token", "this needs a token"))
	return false
}

// cookie has the port in its name: browsers send the cookies of one port to all.
func (s *Server) cookie() string { return "plinth_" + s.hosts.port }

func (s *Server) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.token)) == 1
}
