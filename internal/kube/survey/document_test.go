package survey

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/inspect"
	"plinth/internal/kube/cluster"
	"plinth/internal/record/recordtest"
)

var update = flag.Bool("update", false, "rewrite the lists of findings and provisioners in docs/inspect.md")

const documentation = "../../../docs/inspect.md"

// TestDocumentedRules checks the documented lists against the rules and the provisioners.
func TestDocumentedRules(t *testing.T) {
	file, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	want := string(file)
	for name, table := range map[string]string{"cluster rules": ruleTable(), "provisioners": provisionerTable()} {
		before, rest, found := strings.Cut(want, "<!-- "+name+" -->\n")
		_, after, closed := strings.Cut(rest, "<!-- /"+name+" -->")
		if !found || !closed {
			t.Fatalf("the documentation has no markers for the %s", name)
		}
		want = before + "<!-- " + name + " -->\n" + table + "<!-- /" + name + " -->" + after
	}
	if *update {
		if err := os.WriteFile(documentation, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(file) != want && !*update {
		t.Error("a list does not match the code (go test ./internal/kube/survey -update rewrites it)")
	}
}

func ruleTable() string {
	all := rules()
	slices.SortStableFunc(all, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	var b strings.Builder
	b.WriteString("| rule | severity | for example |\n|---|---|---|\n")
	for _, r := range all {
		i := slices.IndexFunc(ruleTests, func(test ruleTest) bool { return test.rule == r.name })
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.name, inspect.SeverityOf(r.weight), ruleTests[i].text)
	}
	return b.String()
}

func provisionerTable() string {
	var b strings.Builder
	b.WriteString("| provisioner | storage | where | source |\n|---|---|---|---|\n")
	for _, p := range provisioners {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.name, p.product, p.where, p.source)
	}
	return b.String()
}

// TestDocument checks the documentation of the JSON against the Go structs.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, documentation, map[string]reflect.Type{
		"Cluster":       reflect.TypeFor[Survey](),
		"Namespace":     reflect.TypeFor[Namespace](),
		"Node":          reflect.TypeFor[Node](),
		"NodePods":      reflect.TypeFor[Pods](),
		"Policies":      reflect.TypeFor[Policies](),
		"Throttled":     reflect.TypeFor[Throttled](),
		"StorageClass":  reflect.TypeFor[Class](),
		"CloudNativePG": reflect.TypeFor[CNPG](),
		"Rule":          reflect.TypeFor[cluster.Rule](),
		"Finding":       reflect.TypeFor[inspect.Finding](),
		"Gap":           reflect.TypeFor[inspect.Gap](),
	})
}
