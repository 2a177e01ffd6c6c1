package serve

import (
	"errors"
	"net/http"
	"net/url"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/web"
)

// errNone reports a store without any readable record.
var errNone = hint.Errorf("create one with plinth run", "the store has no records yet")

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, handle := range map[string]http.HandlerFunc{
		"/{$}":                    s.listPage,
		"/latest":                 s.latest,
		"/record/{name}":          s.report,
		"/compare":                s.compare,
		"/search":                 s.search,
		"/api/records":            s.listJSON,
		"/api/record/{name}/run":  s.run,
		"/api/record/{name}/live": s.live,
		"/assets/{file}":          asset,
		"/favicon.ico":            func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/":                       func(w http.ResponseWriter, r *http.Request) { refuse(w, r, http.StatusNotFound, errNotFound) },
	} {
		mux.HandleFunc(path, handle)
	}
	return mux
}

// recordPath returns the path of a record's page.
func recordPath(name string) string { return "/record/" + url.PathEscape(name) }

// report responds with the page of a record, or for part=report with its report only.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	name, part := r.PathValue("name"), r.URL.Query().Get("part")
	made := s.library.pages.report
	switch part {
	case "":
	case "report":
		made = s.library.pages.part
	default:
		refuse(w, r, http.StatusBadRequest, hint.Errorf("use part=report", "part: unknown value %q", part))
		return
	}
	if r.Method == http.MethodHead { // only checks that it exists, without the cost of rendering
		if _, err := versionOf(s.library.store, name); err != nil {
			refuse(w, r, statusOf(err), err)
			return
		}
		w.Header().Set("Content-Type", typeHTML)
		return
	}
	body, err := s.library.page(name, part, made)
	if err != nil {
		refuse(w, r, statusOf(err), err)
		return
	}
	send(w, r, http.StatusOK, typeHTML, body)
}

// run responds with one run second by second.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	rec, _, err := s.library.open(r.PathValue("name"))
	if err != nil {
		refuse(w, r, statusOf(err), err)
		return
	}
	path := r.URL.Query().Get("path")
	found := page.FindRun(rec, path)
	if found == nil {
		refuse(w, r, http.StatusNotFound, hint.Errorf("the record's page lists its runs", "there is no run %q in the record", path))
		return
	}
	var detail page.Detail
	s.library.inTurn(func() { detail = s.library.pages.detail(rec, found) })
	sendJSON(w, r, http.StatusOK, detail)
}

// compare responds with a comparison of two records.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	names := [2]string{r.URL.Query().Get("a"), r.URL.Query().Get("b")}
	if names[0] == names[1] {
		refuse(w, r, http.StatusBadRequest, hint.Errorf("choose two records in the list", "a comparison needs two different records: a and b"))
		return
	}
	var records [2]*record.Record
	for i, name := range names {
		rec, _, err := s.library.open(name)
		if err != nil {
			refuse(w, r, statusOf(err), err)
			return
		}
		records[i] = rec
	}
	var body []byte
	var err error
	s.library.inTurn(func() { body, err = s.library.pages.comparison(records[0], records[1], s.options.Parity) })
	if err != nil {
		refuse(w, r, http.StatusUnprocessableEntity, err) // the records are not comparable
		return
	}
	send(w, r, http.StatusOK, typeHTML, body)
}

// search responds with the page of the search whose records these are.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	if s.options.Search == nil {
		refuse(w, r, http.StatusNotFound, errNotFound)
		return
	}
	p, err := s.options.Search()
	if err != nil {
		refuse(w, r, http.StatusUnprocessableEntity, err)
		return
	}
	send(w, r, http.StatusOK, typeHTML, p.Served())
}

// statusOf returns the status for a record that cannot be shown: 404 if it does not exist,
// 422 if it cannot be read.
func statusOf(err error) int {
	if errors.Is(err, errGone) {
		return http.StatusNotFound
	}
	return http.StatusUnprocessableEntity
}

// asset responds with a script or style sheet of the pages. There are three fixed names; none
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
		looks, _ := web.Looks() // the styles of the figures are always included
		send(w, r, http.StatusOK, "text/css; charset=utf-8", []byte(page.Looks(looks)))
	default:
		refuse(w, r, http.StatusNotFound, errNotFound)
	}
}

var errUnbuilt = hint.Errorf("build it with make build", "plinth was built without the page's JavaScript")
