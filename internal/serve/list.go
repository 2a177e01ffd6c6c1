package serve

import (
	"fmt"
	"net/http"
	"time"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// asked holds the values of the filter form.
type asked struct{ Text, Engine, State, Verdict, Since, Until string }

// list is the data of the list page.
type list struct {
	Found        Records
	Query        asked
	States       []record.State
	Verdicts     []record.Outcome
	Count        string // "3 of 120 records"
	Newer, Older string // addresses of the adjacent pages; "" if there is none
	Search       bool   // the records are those of a search, which has a page
}

// records returns the records of the store that a request selects, the parsed query, and the
// status to respond with.
func (s *Server) records(r *http.Request) (Records, query, int, error) {
	q, err := parseQuery(r.URL.Query(), time.Local)
	if err != nil {
		return Records{}, q, http.StatusBadRequest, err
	}
	all, err := s.library.list()
	if err != nil {
		return Records{}, q, http.StatusInternalServerError, fmt.Errorf("cannot list %s: %w", s.options.Store, err)
	}
	found := choose(all, q)
	found.Store = s.library.store
	s.library.recount(found.Records)
	return found, q, http.StatusOK, nil
}

func (s *Server) listJSON(w http.ResponseWriter, r *http.Request) {
	found, _, status, err := s.records(r)
	if err != nil {
		refuse(w, r, status, err)
		return
	}
	sendJSON(w, r, status, found)
}

func (s *Server) listPage(w http.ResponseWriter, r *http.Request) {
	found, q, status, err := s.records(r)
	if err != nil {
		refuse(w, r, status, err)
		return
	}
	l := list{
		Found: found, States: states, Verdicts: verdicts,
		Query:  asked{q.text, q.engine, string(q.state), string(q.verdict), q.sinceDay(), q.untilDay()},
		Search: s.options.Search != nil,
		Count:  fmt.Sprintf("%d of %s", found.Matching, unit.Count(found.Total, "record")),
	}
	if q.offset > 0 {
		l.Newer = "/?" + q.values(max(0, q.offset-q.limit)).Encode()
	}
	if next := q.offset + q.limit; next < found.Matching {
		l.Older = "/?" + q.values(next).Encode()
	}
	sendShell(w, r, status, "list", l)
}

// NotValid returns the number of invalid and failed runs.
func (e Entry) NotValid() int { return e.Counts.Invalid + e.Counts.Failed }

// latest redirects to the newest record that is not damaged.
func (s *Server) latest(w http.ResponseWriter, r *http.Request) {
	all, err := s.library.list()
	if err != nil {
		refuse(w, r, http.StatusInternalServerError, fmt.Errorf("cannot list %s: %w", s.options.Store, err))
		return
	}
	for _, e := range all {
		if e.Damage == "" {
			w.Header().Set("Location", recordPath(e.Name))
			w.WriteHeader(http.StatusSeeOther)
			return
		}
	}
	refuse(w, r, http.StatusNotFound, errNone)
}
