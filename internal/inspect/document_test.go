package inspect

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/engine/postgres/examine"
	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/record/recordtest"
)

var update = flag.Bool("update", false, "rewrite the list of findings in docs/inspect.md")

const documentation = "../../docs/inspect.md"

// TestDocumentedRules checks the documented list of findings against the rules, with examples
// from their tests.
func TestDocumentedRules(t *testing.T) {
	file, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(file), "<!-- rules -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /rules -->")
	if !found || !closed {
		t.Fatal("the documentation has no markers for the rules")
	}
	want := before + "<!-- rules -->\n" + ruleTable() + "<!-- /rules -->" + after
	if *update {
		if err := os.WriteFile(documentation, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(file) != want && !*update {
		t.Error("the list of findings does not match the rules (go test ./internal/inspect -update rewrites it)")
	}
}

func ruleTable() string {
	all := rules()
	slices.SortStableFunc(all, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	var b strings.Builder
	b.WriteString("| rule | severity | for example |\n|---|---|---|\n")
	for _, r := range all {
		i := slices.IndexFunc(ruleTests, func(test ruleTest) bool { return test.rule == r.name })
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.name, r.severity(), ruleTests[i].text)
	}
	return b.String()
}

// TestDocument checks the documentation of the JSON against the Go structs. The machine is part
// of records, too, and is documented there.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, documentation, map[string]reflect.Type{
		"Finding":             reflect.TypeFor[Finding](),
		"Gap":                 reflect.TypeFor[Gap](),
		"Server":              reflect.TypeFor[examine.Facts](),
		"Role":                reflect.TypeFor[examine.Role](),
		"Setting":             reflect.TypeFor[examine.Setting](),
		"Database":            reflect.TypeFor[examine.DatabaseSize](),
		"Extension":           reflect.TypeFor[examine.Extension](),
		"Tablespace":          reflect.TypeFor[examine.Tablespace](),
		"WAL":                 reflect.TypeFor[examine.WALFiles](),
		"Checkpoints":         reflect.TypeFor[examine.Checkpoints](),
		"Connections":         reflect.TypeFor[examine.Connections](),
		"Transaction":         reflect.TypeFor[examine.Transaction](),
		"PreparedTransaction": reflect.TypeFor[examine.Prepared](),
		"Standby":             reflect.TypeFor[examine.Standby](),
		"Slot":                reflect.TypeFor[examine.Slot](),
		"Neglected":           reflect.TypeFor[examine.Neglected](),
		"Redis":               reflect.TypeFor[redisexamine.Facts](),
		"LatencyEvent":        reflect.TypeFor[redisexamine.LatencyEvent](),
		"RedisGap":            reflect.TypeFor[redisexamine.Gap](),
		"ServerGap":           reflect.TypeFor[examine.Gap](),
	})
	text, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[Inspection]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !strings.Contains(string(text), "\n| `"+name+"` | ") {
			t.Errorf("%s is not documented", name)
		}
	}
}
