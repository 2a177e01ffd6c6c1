package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

var created = time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// overwrite replaces the content of a file in a store.
func overwrite(t *testing.T, store, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(store, name), []byte(text), 0o644))
}

// storeOf creates records with the given names, an hour apart, oldest first.
func storeOf(t *testing.T, names ...string) string {
	t.Helper()
	store := t.TempDir()
	for i, name := range names {
		w, err := record.Create(store, name, created.Add(time.Duration(i)*time.Hour),
			&record.Summary{Question: "Why " + name + "?", Planned: 7}, []byte("name: "+name))
		must(t, err)
		must(t, w.Close())
	}
	return store
}

func TestFind(t *testing.T) {
	store := storeOf(t, "quickstart", "storage", "quickstart")
	const first, second, third = "quickstart-20261121T031500Z", "storage-20261121T041500Z", "quickstart-20261121T051500Z"
	for _, c := range []struct{ arg, want, err, hint string }{
		{arg: first, want: first},
		{arg: "storage", want: second},
		{arg: "s", want: second},
		{arg: "quickstart-20261121T05", want: third},
		{arg: "latest", want: third},
		{arg: "quick", err: `2 records begin with "quick"`, hint: third + ", " + first},
		{arg: "stroage", err: `cannot find record "stroage"`, hint: "did you mean " + second},
		{arg: "", err: `cannot find record ""`},
		{arg: "../" + first, err: "cannot find"},
	} {
		got, err := index.Find(store, c.arg)
		switch {
		case c.err == "":
			if err != nil || got != filepath.Join(store, c.want) {
				t.Errorf("Find(%q) = %s, %v; want %s", c.arg, got, err, c.want)
			}
		case err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(hint.Of(err), c.hint):
			t.Errorf("Find(%q) = %v, hint %q; want %s, hint %q", c.arg, err, hint.Of(err), c.err, c.hint)
		}
	}
	path := filepath.Join(store, second)
	if got, err := index.Find(t.TempDir(), path); err != nil || got != path {
		t.Errorf("Find of a path = %s, %v; want %s", got, err, path)
	}
	if _, err := index.Find(t.TempDir(), "latest"); err == nil || !strings.Contains(hint.Of(err), "plinth run") {
		t.Errorf("Find in an empty store: %v, hint %q", err, hint.Of(err))
	}
}

func TestFindLatestPassesOverDamage(t *testing.T) {
	store := storeOf(t, "old", "new")
	overwrite(t, store, "new-20261121T041500Z/record.json", "{")
	got, err := index.Find(store, "latest")
	if want := filepath.Join(store, "old-20261121T031500Z"); err != nil || got != want {
		t.Errorf("Find = %s, %v; want %s", got, err, want)
	}
}

func TestFindLatestOfANewerPlinth(t *testing.T) {
	store := storeOf(t, "old", "new")
	overwrite(t, store, "new-20261121T041500Z/record.json", `{"schema": "plinth/record/v99"}`)
	_, err := index.Find(store, "latest")
	if err == nil || !strings.Contains(err.Error(), "new-20261121T041500Z: a newer version") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
}

func TestList(t *testing.T) {
	store := storeOf(t, "one", "two", "three")
	must(t, os.Mkdir(filepath.Join(store, "not-a-record"), 0o755))
	overwrite(t, store, "README", "x")
	overwrite(t, store, "one-20261121T031500Z/record.json", "{")
	w, err := record.Reopen(filepath.Join(store, "three-20261121T051500Z"))
	must(t, err)
	defer func() { must(t, w.Close()) }()

	entries, err := index.List(store)
	must(t, err)
	got := map[string]index.Entry{}
	for _, e := range entries {
		got[strings.Split(e.Name, "-")[0]] = e
	}
	if len(entries) != 3 {
		t.Fatalf("%d entries, want 3: %+v", len(entries), entries)
	}
	if e := got["one"]; e.Damage == "" || e.Question != "" || e.Created.IsZero() {
		t.Errorf("one = %+v, which is damaged", e)
	}
	if e := got["two"]; e.State != record.Interrupted || e.Question != "Why two?" || e.Planned != 7 || !e.Created.Equal(created.Add(time.Hour)) {
		t.Errorf("two = %+v, want interrupted", e)
	}
	if got["three"].State != record.Running {
		t.Errorf("three = %+v, want running: its writer is alive", got["three"])
	}
	position := map[string]int{}
	for i, e := range entries {
		position[strings.Split(e.Name, "-")[0]] = i
	}
	if position["three"] > position["two"] {
		t.Error("the newest is not before the older one")
	}
	if none, err := index.List(filepath.Join(store, "none")); err != nil || len(none) != 0 {
		t.Errorf("List of no store = %v, %v", none, err)
	}
}
