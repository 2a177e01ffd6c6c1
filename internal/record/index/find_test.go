package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
)

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
		got, err := record.Find(store, c.arg)
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
	if got, err := record.Find(t.TempDir(), path); err != nil || got != path {
		t.Errorf("Find of a path = %s, %v; want %s", got, err, path)
	}
	if _, err := record.Find(t.TempDir(), "latest"); err == nil || !strings.Contains(hint.Of(err), "plinth run") {
		t.Errorf("Find in an empty store: %v, hint %q", err, hint.Of(err))
	}
}

func TestFindLatestPassesOverDamage(t *testing.T) {
	store := storeOf(t, "old", "new")
	write("new-20261121T041500Z/record.json", "{")(t, store)
	got, err := record.Find(store, "latest")
	if want := filepath.Join(store, "old-20261121T031500Z"); err != nil || got != want {
		t.Errorf("Find = %s, %v; want %s", got, err, want)
	}
}

func TestFindLatestOfANewerPlinth(t *testing.T) {
	store := storeOf(t, "old", "new")
	write("new-20261121T041500Z/record.json", `{"schema": "plinth/record/v99"}`)(t, store)
	_, err := record.Find(store, "latest")
	if err == nil || !strings.Contains(err.Error(), "new-20261121T041500Z: a newer version") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
}

func TestList(t *testing.T) {
	store := storeOf(t, "one", "two", "three")
	must(t, os.Mkdir(filepath.Join(store, "not-a-record"), 0o755))
	write("README", "x")(t, store)
	write("one-20261121T031500Z/record.json", "{")(t, store)
	w, err := record.Reopen(filepath.Join(store, "three-20261121T051500Z"))
	must(t, err)
	defer closeIt(t, w)

	entries, err := record.List(store)
	must(t, err)
	got := map[string]record.Entry{}
	for _, e := range entries {
		got[strings.Split(e.Name, "-")[0]] = e
	}
	if len(entries) != 3 {
		t.Fatalf("%d entries, want 3: %+v", len(entries), entries)
	}
	if got["one"].Damage == "" {
		t.Error("one is damaged, and the list does not say so")
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
	if none, err := record.List(filepath.Join(store, "none")); err != nil || len(none) != 0 {
		t.Errorf("List of no store = %v, %v", none, err)
	}
}
