package relation

import (
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/hint"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func table(oid uint32, name string, c Counters) Relation {
	return Relation{OID: oid, Kind: Table, Name: Name{"public", name}, Tablespace: "pg_default", Size: 1 << 20, Rows: 100, Counters: c}
}

// readingAt returns a reading of some relations, all of them listed.
func readingAt(taken time.Time, relations ...Relation) Reading {
	k := newKeeper(1000)
	for _, r := range relations {
		k.add(r)
	}
	l := Reading{
		Schema: Schema, Taken: taken, Since: noon.Add(-time.Hour), SinceKnown: true, Server: Server{System: "7"},
		Database: Database{OID: 5, Name: "app", Tablespace: "pg_default", BlockSize: 8192},
		WAL:      WAL{Writes: -1, Syncs: -1}, Writes: Writes{Timeout: 300},
		Tablespaces: []Tablespace{{OID: 1663, Name: "pg_default"}},
	}
	l.Relations, l.Groups = k.result()
	return l
}

func TestBetween(t *testing.T) {
	a := readingAt(noon, table(1, "a", Counters{Read: 10, Hit: 90, Inserted: 5}), table(2, "gone", Counters{Inserted: 7}))
	b := readingAt(noon.Add(10*time.Second), table(1, "a", Counters{Read: 30, Hit: 170, Inserted: 25}), table(3, "new", Counters{Inserted: 40}))
	b.Relations[0].Size += 8192
	a.WAL.Bytes, b.WAL.Bytes = 1000, 6000
	b.Writes.Checkpointer, b.Writes.Backends, b.Writes.Checkpoints = 50, 30, 2
	r, err := Between(a, b)
	must(t, err)
	if len(r.Relations) != 2 || len(r.Rest) != 0 {
		t.Fatalf("relations %+v, rest %+v", r.Relations, r.Rest)
	}
	if got, want := r.Relations[0].Flow, (Flow{Misses: 2, Requests: 10, Inserted: 2}); got != want || r.Relations[0].Growth != 819.2 {
		t.Errorf("got %+v and a growth of %v, want %+v", got, r.Relations[0].Growth, want)
	}
	if got := r.Relations[1].Inserted; got != 4 {
		t.Errorf("a new table has %v inserts a second, want 4", got)
	}
	if got, want := r.ServerRates, (ServerRates{WALBytes: 500, WALWrites: Unknown, WALSyncs: Unknown, Blocks: 8, Checkpoint: 5 * time.Second}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSinceReset(t *testing.T) {
	l := readingAt(noon, table(1, "a", Counters{Read: 3600, Inserted: 7200}))
	l.Database.Commits = 36000
	r, err := SinceReset(l)
	must(t, err)
	if got := r.Relations[0].Flow; got.Misses != 1 || got.Inserted != 2 || r.Commits != 10 || !r.SinceOnly || r.WALBytes != Unknown || r.Blocks != Unknown {
		t.Errorf("%+v, %+v", got, r.ServerRates)
	}
	l.WAL, l.Writes.Since, l.Writes.Background = WAL{Bytes: 600, Writes: 60, Syncs: 30, Since: noon.Add(-time.Minute)}, noon.Add(-10*time.Second), 40
	r, err = SinceReset(l)
	must(t, err)
	if r.WALBytes != 10 || r.WALWrites != 1 || r.WALSyncs != 0.5 || r.Blocks != 4 {
		t.Errorf("counters with a start of their own: %+v", r.ServerRates)
	}
	l.Taken = l.Since
	if _, err := SinceReset(l); err == nil {
		t.Error("no time has passed since the reset")
	}
}

func TestBetweenRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(a, b *Reading)
		reset  bool
		want   string
	}{
		"reset":          {func(_, b *Reading) { b.Since = noon.Add(time.Second) }, true, "those of the database at 2026-05-01T12:00:01Z"},
		"a first reset":  {func(a, _ *Reading) { a.SinceKnown = false }, true, "database"},
		"counter":        {func(_, b *Reading) { b.Relations[0].Inserted = 1 }, true, "rows_inserted of public.a fell from 5 to 1"},
		"database":       {func(a, _ *Reading) { a.Database.Commits = 1 }, true, "a counter of the database fell"},
		"WAL":            {func(_, b *Reading) { b.WAL.Since = noon }, true, "those of the WAL"},
		"writes":         {func(a, _ *Reading) { a.Writes.Backends = 1 }, true, "writes of the server"},
		"order":          {func(a, b *Reading) { *a, *b = *b, *a }, false, "was not taken after"},
		"same":           {func(a, b *Reading) { *b = *a }, false, "was not taken after"},
		"other database": {func(_, b *Reading) { b.Database.Name = "other" }, false, "different databases: app and other"},
		"other server":   {func(_, b *Reading) { b.Server.System = "8" }, false, "different databases"},
	} {
		a := readingAt(noon, table(1, "a", Counters{Inserted: 5}))
		b := readingAt(noon.Add(time.Minute), table(1, "a", Counters{Inserted: 9}))
		test.change(&a, &b)
		_, err := Between(a, b)
		if err == nil || errors.Is(err, ErrReset) != test.reset || !strings.Contains(err.Error(), test.want) || hint.Of(err) == "" {
			t.Errorf("%s: %v, hint %q", name, err, hint.Of(err))
		}
	}
}

// TestTotals checks that what is listed and the rest always add up to all, whichever relations each
// of two readings lists.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "relations")
		first, second := newKeeper(rapid.IntRange(2, 12).Draw(t, "first")), newKeeper(rapid.IntRange(2, 12).Draw(t, "second"))
		want := 0.0
		for i := range n {
			was, more := rapid.Int64Range(0, 1000).Draw(t, "was"), rapid.Int64Range(0, 1000).Draw(t, "more")
			r := table(uint32(i+1), "t", Counters{Inserted: was})
			if i%3 == 0 {
				r.Kind, r.Root = Partition, &Name{"public", "root"}
			}
			first.add(r)
			r.Inserted += more
			second.add(r)
			want += float64(more)
		}
		a, b := readingAt(noon), readingAt(noon.Add(time.Second))
		a.Relations, a.Groups = first.result()
		b.Relations, b.Groups = second.result()
		r, err := Between(a, b)
		if err != nil {
			t.Fatal(err)
		}
		got, members := 0.0, len(r.Relations)
		for _, one := range r.Relations {
			got += one.Inserted
		}
		for _, one := range r.Rest {
			got += one.Inserted
			members += one.Members
		}
		if math.Abs(got-want) > 1e-6 || members != n {
			t.Errorf("%v inserts of %d relations, want %v of %d", got, members, want, n)
		}
	})
}

// TestKeeper checks that an active relation and a large one are kept, and what the groups sum.
func TestKeeper(t *testing.T) {
	k := newKeeper(2)
	for i := range uint32(10) {
		r := table(i, "t", Counters{Inserted: int64(i)})
		r.Size = int64(100 - i)
		if i > 4 {
			r.Tablespace = "other"
		}
		k.add(r)
	}
	system := table(99, "pg_class", Counters{Inserted: 1 << 40})
	system.Schema = "pg_catalog"
	k.add(system)
	relations, groups := k.result()
	if len(relations) != 2 || relations[0].OID != 0 || relations[1].OID != 9 {
		t.Errorf("kept %+v", relations)
	}
	if len(groups) != 3 || !groups[0].System || groups[0].Kept != 0 {
		t.Errorf("groups %+v", groups)
	}
	// Those of OID 5 to 9, with 35 inserts, are in another tablespace.
	if g := groups[1]; g.Tablespace != "other" || g.Members != 5 || g.Kept != 1 || g.Inserted != 35 || g.Size != 95+94+93+92+91 {
		t.Errorf("group %+v", g)
	}
}

func TestFile(t *testing.T) {
	l := readingAt(noon, table(1, "a", Counters{Read: 10}), table(2, `"; DROP`, Counters{}))
	path := filepath.Join(t.TempDir(), "reading.json")
	must(t, l.Save(path))
	got, err := Load(path)
	must(t, err)
	if !reflect.DeepEqual(got, l) {
		t.Errorf("got %+v, want %+v", got, l)
	}
	if _, err := Load(path + ".not"); err == nil {
		t.Error("a file that does not exist was read")
	}
	packed, err := l.Compressed()
	must(t, err)
	if got, err = Decode(packed); err != nil || !reflect.DeepEqual(got, l) {
		t.Errorf("compressed: %v, got %+v, want %+v", err, got, l)
	}
	if _, err := Decode(packed[:len(packed)-1]); err == nil {
		t.Error("a file that was cut off was read")
	}
}

func TestDecodeRefuses(t *testing.T) {
	l := readingAt(noon, table(1, "a", Counters{Read: 10}))
	good, err := l.Encode()
	must(t, err)
	for name, test := range map[string]struct{ old, new, want string }{
		"syntax":   {"{", "", "not JSON"},
		"schema":   {"plinth/relations/v1", "plinth/relations/v9", `"plinth/relations/v9"`},
		"unknown":  {`"taken"`, `"x": 1, "taken"`, `unknown field "x"`},
		"negative": {`"blocks_read": 10`, `"blocks_read": -10`, `"public.a": blocks_read is negative`},
		"kind":     {`"kind": "table"`, `"kind": "view"`, `its kind is "view"`},
		"no name":  {`"name": "a"`, `"name": ""`, "lacks a name"},
		"block":    {`"block_size": 8192`, `"block_size": 0`, "block size is 0"},
		"size":     {`"size_bytes": 1048576`, `"size_bytes": -1`, "its size is negative"},
		"hot":      {`"rows_hot_updated": 0`, `"rows_hot_updated": 1`, "more rows were updated"},
		"before":   {`"since": "2026-05-01T11`, `"since": "2026-05-01T13`, "before its counters began"},
		"WAL":      {`"syncs": -1`, `"syncs": -2`, "counter of the WAL"},
		"second":   {"\n}\n", "\n}\n{}", "not JSON"},
	} {
		text := strings.Replace(string(good), test.old, test.new, 1)
		if _, err := Decode([]byte(text)); text == string(good) || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.Relations = append(l.Relations, l.Relations[0])
	twice, err := l.Encode()
	must(t, err)
	if _, err := Decode(twice); err == nil || !strings.Contains(err.Error(), "two relations of OID 1") {
		t.Errorf("a relation twice: %v", err)
	}
	if _, err := Decode(make([]byte, mostBytes+1)); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("a large file: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	good, err := readingAt(noon, table(1, "a", Counters{Read: 10})).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	packed, err := readingAt(noon).Compressed()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := Decode(text)
		if err != nil {
			return
		}
		_, _ = SinceReset(l)
		again, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(again); err != nil {
			t.Errorf("it cannot be read again: %v", err)
		}
	})
}
