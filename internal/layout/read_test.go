package layout

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/unit"
)

// TestMistakes checks that each mistake is found, where it is.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "contains no layout",
		"tps: 1\ntps: 2":                        "f:2:1: duplicate key",
		"tsp: 1":                                "f:1:1: ",
		"size: 500":                             `f:1:7: the layout file, size: "500" has no unit`,
		"size: -5GiB":                           `"-5GiB" is negative`,
		"tps: -1":                               "f:1:6: tps: -1 is not a rate",
		"read_share: 0.8":                       `"0.8" has no unit: write 0.8%`,
		"months: 500":                           "months: 500 is not from 1 to 120",
		"standby: maybe":                        `f:1:10: standby: unknown value "maybe"`,
		"budget: -2":                            "budget: -2 is not an amount",
		"instance: m6i.huge":                    "f:1:11: instance: there is no instance",
		"instance: db.m6i.large":                "is managed",
		"objects: {a: {reads: 1}}":              "objects, a: the size is missing",
		"objects: {'a b': {size: 1GiB}}":        `"a b" is not a name`,
		"objects: {a: {size: 1GiB, of: b}}":     `objects, a: there is no table "b"`,
		"objects: {a: {size: 1GiB, reads: -3}}": "objects, a, reads: -3 is not a rate",
		"objects: {a: {size: 2000000TiB}}":      "is more than 1024TiB",
		"objects: {a: {size: 1GiB}, public.a: {size: 1GiB}}": "are the same",
		"size: 1GiB\nobjects: {a: {size: 1GiB}}":             "is stated beside its objects",
		"other: {wal: {size: 1GiB}}":                         `"wal" is not a name`,
		"other: {backups: {size: 1GiB, on: [floppy]}}":       `there is no device "floppy"`,
		"other: {backups: {on: [gp3]}}":                      "the size is missing",
		"wal: {bytes: 1KiB, rate: 1MiB/s}":                   "both the bytes of a commit and the rate",
		"temp: {rate: 1MiB/s}":                               "there is a rate without a size",
		"drives: {number: 2}":                                "the number or the size is missing",
		"drives: {number: 2, size: 1GiB, use: 2GiB}":         "of 1GiB, 2GiB cannot be used",
		"drives: {number: 1000, size: 1GiB}":                 "1000 is not from 1 to 64",
	} {
		_, err := Parse("f", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestMissing checks what an input cannot do without.
func TestMissing(t *testing.T) {
	for want, in := range map[string]Input{
		"the size of the database is not stated": {TPS: 100},
		"the transactions a second are not":      {Size: unit.GiB},
	} {
		if _, err := Find(in, today(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTextReadsBack checks that the file of an input gives the same layout.
func TestTextReadsBack(t *testing.T) {
	for _, in := range []Input{
		platform(t),
		{Size: 300 * unit.GiB, TPS: 1234.5, Growth: 7 * unit.GiB, Budget: 250, Standby: SyncStandby, Instance: "i4i.large"},
	} {
		text, err := in.Text()
		must(t, err)
		again, err := Parse("again", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		a, b := find(t, in), find(t, again)
		if math.Abs(a.Plan.After.Dollars.USD-b.Plan.After.Dollars.USD) > 0.001 || len(a.Volumes) != len(b.Volumes) {
			t.Errorf("$%.2f and $%.2f for\n%s", a.Plan.After.Dollars.USD, b.Plan.After.Dollars.USD, text)
		}
		for name, o := range a.Input.Objects {
			other := b.Input.Objects[name]
			if o.Size != other.Size || o.Growth != other.Growth || math.Abs(o.Reads-other.Reads) > 0.001 || math.Abs(o.Writes-other.Writes) > 0.001 {
				t.Errorf("%s: %+v, and read back %+v", name, o, other)
			}
		}
	}
}

// TestOverrides checks that flags scale what the objects have.
func TestOverrides(t *testing.T) {
	in := Input{TPS: 100, WAL: WAL{Commits: 50}, Objects: map[string]Object{
		"a": {Size: 30 * unit.GiB, Reads: 10, Writes: 20, Growth: 2 * unit.GiB}, "b": {Size: 10 * unit.GiB, Reads: 1, Growth: unit.GiB},
	}}
	size, growth, tps, share := 80*unit.GiB, 6*unit.GiB, 300.0, Share(0.5)
	got, err := in.With(Override{Size: &size, Growth: &growth, TPS: &tps})
	must(t, err)
	if a, b := got.Objects["a"], got.Objects["b"]; a != (Object{Size: 60 * unit.GiB, Reads: 30, Writes: 60, Growth: 4 * unit.GiB}) ||
		b != (Object{Size: 20 * unit.GiB, Reads: 3, Growth: 2 * unit.GiB}) || got.WAL.Commits != 150 {
		t.Errorf("%+v", got)
	}
	if in.Objects["a"].Size != 30*unit.GiB {
		t.Error("the input itself was changed")
	}
	if _, err := in.With(Override{ReadShare: &share}); err == nil {
		t.Error("the read share was changed beside rates of objects")
	}
}

func TestBuiltins(t *testing.T) {
	for _, name := range Names() {
		text, err := Builtin(name)
		must(t, err)
		if _, err := Parse(name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Builtin("content-plat"); err == nil {
		t.Error("a misspelled name was found")
	}
}

// TestRules checks that all rules can be read and are whole.
func TestRules(t *testing.T) {
	if len(Rules()) == 0 || len(publications()) == 0 {
		t.Fatal("they cannot be read")
	}
	seen, sets := map[string]bool{}, map[string]bool{}
	for _, r := range Rules() {
		if r.Name == "" || seen[r.Name] || r.Source == "" || r.Why == "" {
			t.Errorf("%+v is not whole, or there twice", r)
		}
		seen[r.Name] = true
		for _, role := range r.When.Role {
			if !slices.Contains(roles, role) {
				t.Errorf("%s: there is no role %s", r.Name, role)
			}
		}
		for _, medium := range r.When.Medium {
			if !slices.Contains([]string{onLocal, onNetwork, onSpinning}, medium) {
				t.Errorf("%s: there is no medium %s", r.Name, medium)
			}
		}
		if r.Set != "" {
			sets[r.Set] = true
		}
	}
	if want := slices.Sorted(maps.Keys(settings)); !slices.Equal(slices.Sorted(maps.Keys(sets)), want) {
		t.Errorf("the rules set %v, there are functions for %v", sets, want)
	}
}
