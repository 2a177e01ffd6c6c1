package typescript_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/page"
	"plinth/internal/page/typescript"
	"plinth/internal/record"
)

func generate(t *testing.T, roots ...reflect.Type) string {
	t.Helper()
	text, err := typescript.Generate(moduleDir, special, roots...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every name that encoding/json writes must stand in the interface, and no other.
func TestNamesAreThoseOfJSON(t *testing.T) {
	cell := experiment.Cell{Workload: "w", Clients: 1, Threads: 1, Rate: 500}
	notes := []record.Note{{Rule: "r", Text: "t", Hint: "h", Environment: "e"}}
	for _, full := range []any{
		cell, notes[0],
		page.Run{Cell: cell, Reasons: notes, Warnings: notes, Overview: &page.Overview{}},
		page.Detail{Heat: &page.Heat{}, Missing: "m"},
		page.Live{Reason: "r", Now: &record.Now{}, Look: "l"},
		record.Summary{Reason: "r", Awake: true, Finished: time.Unix(1, 0), Sets: []string{"s"}, Machines: map[string]host.Facts{"a": {}}, Plan: &record.Plan{}, Warnings: notes,
			Verdicts: []record.Verdict{{}}, Noise: []record.Noise{{}}, Durability: map[string]record.Durability{"e": {}}, LeftOut: []record.LeftOut{{}}},
	} {
		kind := reflect.TypeOf(full)
		data, err := json.Marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatal(err)
		}
		declared := properties(t, generate(t, kind), kind.Name())
		for name := range object {
			if !declared[name] {
				t.Errorf("%v: JSON has %q, TypeScript does not", kind, name)
			}
		}
		if len(declared) != len(object) {
			t.Errorf("%v: TypeScript has %d properties, JSON %d", kind, len(declared), len(object))
		}
	}
}

var propertyLine = regexp.MustCompile(`(?m)^  "?([^/*" ?:]+)"?\??: `)

// properties are those of the interface called name.
func properties(t *testing.T, text, name string) map[string]bool {
	t.Helper()
	_, after, ok := strings.Cut(text, "export interface "+name+" {\n")
	if !ok {
		t.Fatalf("no interface %s in:\n%s", name, text)
	}
	body, _, _ := strings.Cut(after, "\n}\n")
	found := map[string]bool{}
	for _, match := range propertyLine.FindAllStringSubmatch(body, -1) {
		found[match[1]] = true
	}
	return found
}

func TestKinds(t *testing.T) {
	text := generate(t, reflect.TypeFor[page.Data](), reflect.TypeFor[page.Detail](), reflect.TypeFor[record.Verdict](), reflect.TypeFor[record.Summary]())
	for _, line := range []string{
		`export type Status = "valid" | "invalid" | "failed";`,
		`  started: string;`,         // a time
		`  low?: (number | null)[];`, // makes its own JSON, and may be absent
		`  "p99_ns": number;`,        // never quoted
		`  machine: Facts;`,          // of a package further down
		`  counts: number[][];`,
		`  cell?: Cell;`, // a pointer that may be absent
		`/** Status says whether the numbers of a run may be used. */`,
	} {
		if has, want := strings.Contains(text, line+"\n"), !strings.Contains(line, `"p99_ns"`); has != want {
			t.Errorf("%q is there: %v, want %v", line, has, want)
		}
	}
}

func TestWhatCannotBeSaid(t *testing.T) {
	for want, roots := range map[string][]reflect.Type{
		"two types have the name Run": {reflect.TypeFor[page.Run](), reflect.TypeFor[record.Run]()},
		"has no name in JSON":         {reflect.TypeFor[experiment.Storage]()},
		"is no package of ours":       {reflect.TypeFor[reflect.StructField]()},
	} {
		if _, err := typescript.Generate(moduleDir, special, roots...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one that says %q", err, want)
		}
	}
}
