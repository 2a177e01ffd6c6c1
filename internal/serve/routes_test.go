package serve

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/page"
)

// TestPages: each address, and what it says when it cannot.
func TestPages(t *testing.T) {
	store := t.TempDir()
	a, b := finished(t, store, "first"), finished(t, store, "second")
	write(t, filepath.Join(store, "damaged", "record.json"), `{"schema": "plinth/record/v1"`)
	write(t, filepath.Join(store, "later", "record.json"), `{"schema": "plinth/record/v9"}`)
	s := started(t, Options{Store: store})
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/record/" + a:                  {200, "page of " + a + ": 1 runs, complete"},
		"/record/" + a + "?part=report": {200, "part of " + a},
		"/record/" + a + "?part=all":    {400, "Part: unknown value"},
		"/record/damaged":               {422, "restore the record from a copy"},
		"/record/later":                 {422, "install the newest version of plinth"},
		"/record/none":                  {404, "There is no such record in the store"},
		"/record":                       {404, "There is no such page here"},
		"/compare?a=" + a + "&b=" + b:   {200, a + " and " + b},
		"/compare?a=" + a:               {404, "There is no such record in the store"},
		"/compare?a=" + a + "&b=" + a:   {400, "A comparison needs two different records"},
		"/compare?a=" + a + "&b=../x":   {404, "There is no such record in the store"},
		"/compare?a=" + a + "&b=later":  {422, "install the newest version of plinth"},
		"/compare":                      {400, "A comparison needs two different records"},
		"/?state=walking":               {400, "one of running, complete, interrupted"},
		"/assets/other.js":              {404, "There is no such page here"},
		"/api/records?limit=x":          {400, `"error":"limit: \"x\" is out of range or not a number","hint":"give a number from 1 to 1000"`},
		"/api/nothing":                  {404, `"error":"there is no such page here"`},

		"/api/record/" + a + "/run":                                     {404, "there is no run"},
		"/api/record/" + a + "/run?path=../../run":                      {404, "there is no run"},
		"/api/record/" + a + "/run?path=runs/disk/tpcb-like/c2-j1/r01":  {404, "there is no run"},
		"/api/record/later/run?path=disk/tpcb-like/c2-j1/r01":           {422, "install the newest version of plinth"},
		"/api/record/" + a + "/run?path=" + url.QueryEscape("<script>"): {404, "there is no run"},
	} {
		got := ask(t, s, path)
		if got.StatusCode != want.status || !strings.Contains(got.body, want.text) {
			t.Errorf("%s: %s\n%s\nwant %d: %s", path, got.Status, got.body, want.status, want.text)
		}
		if strings.HasPrefix(path, "/api/") != strings.HasPrefix(got.Header.Get("Content-Type"), typeJSON) {
			t.Errorf("%s: %s", path, got.Header.Get("Content-Type"))
		}
	}
	var detail page.Detail
	got := ask(t, s, "/api/record/"+a+"/run?path=disk/tpcb-like/c2-j1/r01")
	if err := json.Unmarshal([]byte(got.body), &detail); err != nil || detail.Path != "runs/disk/tpcb-like/c2-j1/r01" {
		t.Errorf("%s: %v %+v", got.Status, err, detail)
	}
	head := ask(t, s, "/record/"+a, func(r *http.Request) { r.Method = http.MethodHead })
	if head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != typeHTML {
		t.Errorf("HEAD: %s, %v", head.Status, head.Header)
	}
	if gone := ask(t, s, "/record/none", func(r *http.Request) { r.Method = http.MethodHead }); gone.StatusCode != http.StatusNotFound {
		t.Errorf("HEAD of none: %s", gone.Status)
	}
}

// TestPagesAreMadeOnce while the record stays what it is.
func TestPagesAreMadeOnce(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "growing")
	name := filepath.Base(w.Path())
	made := 0
	s := started(t, Options{Store: store, pages: plainPages{&made}})
	pending := begin(t, w, "disk", 1)
	for _, c := range []struct {
		do   func()
		text string
		made int
	}{
		{func() {}, "0 runs, running", 1},
		{func() {}, "0 runs, running", 1},
		{func() { commit(t, pending, runID("disk", 1), 1) }, "1 runs, running", 2},
		{func() { begin(t, w, "memory", 1) }, "1 runs, running", 2},
		{func() { end(t, w) }, "1 runs, complete", 3},
	} {
		c.do()
		if got := ask(t, s, "/record/"+name); !strings.HasSuffix(got.body, c.text) || made != c.made {
			t.Errorf("%s, made %d times; want %s, %d times", got.body, made, c.text, c.made)
		}
	}
}

// TestFewRecordsStayOpen, however many are looked at.
func TestFewRecordsStayOpen(t *testing.T) {
	store := t.TempDir()
	s := started(t, Options{Store: store})
	for _, experiment := range []string{"a", "b", "c", "d", "e", "f"} {
		name := finished(t, store, experiment)
		if got := ask(t, s, "/record/"+name); got.StatusCode != http.StatusOK {
			t.Error(got.Status)
		}
	}
	if n := len(s.library.books); n != mostOpen {
		t.Errorf("%d are open", n)
	}
}

// TestListPage is the list without the page's program: a form and a table.
func TestListPage(t *testing.T) {
	store := t.TempDir()
	s := started(t, Options{Store: store})
	if got := ask(t, s, "/"); !strings.Contains(got.body, "<code>plinth run</code>") || strings.Contains(got.body, "<table>") {
		t.Errorf("an empty store:\n%s", got.body)
	}
	name := finished(t, store, "one")
	write(t, filepath.Join(store, "damaged", "record.json"), `{`)
	if err := os.Chtimes(filepath.Join(store, "damaged"), created, created); err != nil {
		t.Fatal(err)
	}
	for path, texts := range map[string][]string{
		"/": {
			`<main id="store">`, `href="/record/` + name + `"`, "Is the second disk faster?", `<span class="status status-complete">complete</span>`,
			"1 of 40", `<time datetime="2026-11-21T03:15:00Z">`, "2 of 2 records", "damaged", `<option>postgres</option>`,
		},
		"/?state=complete&q=%22%3E%3Cscript%3E": {`<option selected>complete</option>`, `value="&#34;&gt;&lt;script&gt;"`, "0 of 2 records"},
		"/?limit=1":                             {`<a rel="next" href="/?limit=1&amp;offset=1">`},
		"/?limit=1&offset=1&q=a":                {`<a rel="prev" href="/?limit=1&amp;q=a">`},
		"/?since=2026-11-21&until=2026-11-22":   {`name="since" value="2026-11-21"`, `name="until" value="2026-11-22"`},
	} {
		got := ask(t, s, path)
		for _, text := range texts {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s: no %s in\n%s", path, text, got.body)
			}
		}
	}
	for _, text := range []string{"<script>", " style=", " onclick="} { // the policy forbids them all
		if strings.Contains(ask(t, s, "/").body, text) {
			t.Errorf("%q in the list", text)
		}
	}
}

// TestRunningRecordsAreCounted run by run, not when their writer next saves.
func TestRunningRecordsAreCounted(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "running")
	s := started(t, Options{Store: store})
	for n, environment := range []string{"disk", "memory"} {
		commit(t, begin(t, w, environment, 1), runID(environment, 1), n+1)
		var got Records
		if err := json.Unmarshal([]byte(ask(t, s, "/api/records").body), &got); err != nil || got.Records[0].Counts.Valid != n+1 {
			t.Errorf("after %d runs: %+v, %v", n+1, got, err)
		}
	}
}

// TestRecordsJSON is the answer that the page's program filters with.
func TestRecordsJSON(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "one")
	s := started(t, Options{Store: store})
	var got Records
	if err := json.Unmarshal([]byte(ask(t, s, "/api/records").body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != RecordsSchema || got.Store != store || got.Total != 1 || len(got.Records) != 1 || got.Records[0].Name != name ||
		got.Records[0].Words == nil || got.Records[0].Counts.Valid != 1 {
		t.Errorf("%+v", got)
	}
}
