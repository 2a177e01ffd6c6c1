package serve

import (
	"net/http"

	"plinth/internal/hint"
	"plinth/web"
)

// headScript says before the first paint that there is a program, and which theme
// was chosen; the file form has the same inline, which the policy forbids here.
const headScript = `document.documentElement.classList.add("js");
try {
  const theme = localStorage.getItem("plinth-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {}
`

// asset answers with a part of the page's program. There are three, by name; none
// is looked up in a directory.
func asset(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("file") {
	case "head.js":
		send(w, r, http.StatusOK, "text/javascript", []byte(headScript))
	case "page.js":
		sendBuilt(w, r, "text/javascript", web.Program)
	case "page.css":
		sendBuilt(w, r, "text/css", web.Looks)
	default:
		refuse(w, r, http.StatusNotFound, errNotFound)
	}
}

func sendBuilt(w http.ResponseWriter, r *http.Request, kind string, part func() (string, bool)) {
	text, built := part()
	if !built {
		refuse(w, r, http.StatusNotFound, hint.Errorf("make build builds it", "this plinth was built without the page's program"))
		return
	}
	send(w, r, http.StatusOK, kind+"; charset=utf-8", []byte(text))
}
