package serve

import (
	"net/http"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/web"
)

// asset answers with a part of the page's program. There are three, by name; none
// is looked up in a directory.
func asset(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("file") {
	case "head.js":
		send(w, r, http.StatusOK, "text/javascript; charset=utf-8", []byte(page.Head))
	case "page.js":
		program, built := web.Program()
		if !built {
			refuse(w, r, http.StatusNotFound, errUnbuilt)
			return
		}
		send(w, r, http.StatusOK, "text/javascript; charset=utf-8", []byte(program))
	case "page.css":
		looks, _ := web.Looks() // those of the figures are there in any case
		send(w, r, http.StatusOK, "text/css; charset=utf-8", []byte(page.Looks(looks)))
	default:
		refuse(w, r, http.StatusNotFound, errNotFound)
	}
}

var errUnbuilt = hint.Errorf("make build builds it", "this plinth was built without the page's program")
