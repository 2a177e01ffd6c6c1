package serve

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"plinth/internal/page"
	"plinth/internal/prose"
)

// TestSearch: the records of a search have its page beside them; other records have none.
func TestSearch(t *testing.T) {
	store := t.TempDir()
	finished(t, store, "round-1")
	plain := started(t, Options{Store: store})
	if got := ask(t, plain, "/search"); got.StatusCode != http.StatusNotFound {
		t.Errorf("records of no search: %s", got.Status)
	}
	if got := ask(t, plain, "/"); strings.Contains(got.body, `href="/search"`) {
		t.Error("the list of other records links to a search")
	}

	var body prose.Document
	body.Add(prose.Paragraph("Nothing better than oltp is known."))
	var failed error
	s := started(t, Options{Store: store, Search: func() (page.Plain, error) {
		return page.Plain{Title: "Search: TPS of orders.yaml", Kind: "search for a tuning", Body: body}, failed
	}})
	if got := ask(t, s, "/"); !strings.Contains(got.body, `href="/search"`) {
		t.Error("the list does not link to the search")
	}
	if got := ask(t, s, "/search"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "Nothing better than oltp is known.") {
		t.Errorf("%s: %s", got.Status, got.body)
	}
	failed = errors.New("search.json is damaged: round 2")
	if got := ask(t, s, "/search"); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, "damaged: round 2") {
		t.Errorf("%s: %s", got.Status, got.body)
	}
}
