package diagnosis

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of causes in docs/diagnosis.md")

const (
	docs  = "../../docs/diagnosis.md"
	begin = "<!-- causes -->\n"
	end   = "<!-- /causes -->\n"
)

// TestDocument checks that docs/diagnosis.md lists all causes.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, foundToo := strings.Cut(rest, end)
	if !found || !foundToo {
		t.Fatalf("%s has no place for the causes", docs)
	}
	want := before + begin + table() + end + after
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s is not current: go test ./internal/diagnosis -update", docs)
	}
}

// table lists the causes in the order of the rules.
func table() string {
	var b strings.Builder
	b.WriteString("| cause | what it is | server | basis | source |\n|---|---|---|---|---|\n")
	var names []string
	servers, first := map[string][]string{}, map[string]Cause{}
	for _, r := range slices.Concat(rules, redisRules) {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
			first[r.name] = r.Cause
		}
		servers[r.name] = append(servers[r.name], r.servers...)
	}
	for _, name := range names {
		c := first[name]
		_, site, _ := strings.Cut(c.Source, "//")
		site, _, _ = strings.Cut(site, "/")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | [%s](%s) |\n", name, c.Title, strings.Join(servers[name], ", "), c.Basis, site, c.Source)
	}
	return b.String()
}
