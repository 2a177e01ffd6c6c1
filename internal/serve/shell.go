package serve

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/internal/prose"
)

//go:embed shell.html
var shellText string

// shell holds the templates of the pages that this package renders itself: the list, and errors.
var shell = template.Must(template.New("shell").Funcs(template.FuncMap{
	"clean": prose.Clean,
	"head":  func(title string) template.HTML { return template.HTML(page.ServedHead(title + " - plinth")) }, // escaped
	"path":  recordPath,
	"local": func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
	"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}).Parse(shellText))

// mishap is the data of an error page.
type mishap struct {
	Title string
	Hint  string
}

// refuse responds with an error: as JSON below /api/, otherwise as a page.
func refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	text, advice := prose.Clean(err.Error()), prose.Clean(hint.Of(err))
	if strings.HasPrefix(r.URL.Path, "/api/") {
		w.Header().Set("Cache-Control", "no-store")
		sendJSON(w, r, status, map[string]string{"error": text, "hint": advice})
		return
	}
	first, size := utf8.DecodeRuneInString(text)
	sendShell(w, r, status, "mishap", mishap{string(unicode.ToUpper(first)) + text[size:], advice})
}

func sendShell(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := shell.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "cannot render the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, status, typeHTML, b.Bytes())
}
