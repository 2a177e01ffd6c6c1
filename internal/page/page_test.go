package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"plinth/internal/page"
	"plinth/internal/prose"
	"plinth/internal/record"
)

// hostileRecord is a record whose every text tries to become a part of the page.
func hostileRecord(t *testing.T) *record.Record {
	t.Helper()
	const evil = `</script><script>window.hacked=1</script><img src=x onerror=hacked()>"'` + "\u202e\n"
	rec := &record.Record{Path: t.TempDir(), ExperimentYAML: []byte("name: [" + evil), Environments: map[string]record.Environment{}}
	rec.Summary = record.Summary{Schema: record.SummarySchema, Name: evil, Question: evil, Engine: evil, State: record.Complete,
		Baseline: evil, Command: []string{evil}, Warnings: []record.Note{{Rule: evil, Text: evil, Hint: evil}}}
	rec.Environments[evil] = record.Environment{Name: evil, Server: evil, Version: evil, Settings: map[string]string{evil: evil}}
	run := record.Run{Status: record.Invalid, Reasons: []record.Note{{Text: evil, Hint: evil}}, Number: 1, Position: 1}
	run.Environment, run.Workload, run.Clients, run.Threads, run.Repeat, run.Attempt = evil, evil, 1, 1, 1, 1
	run.Telemetry = &record.Telemetry{Marks: []record.Mark{{Kind: evil, Text: evil}}}
	rec.Runs = []record.Run{run}
	return rec
}

func htmlOf(t *testing.T, rec *record.Record) string {
	t.Helper()
	p, err := page.New(rec)
	if err != nil {
		t.Fatal(err)
	}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

// TestHostileRecord: nothing that a record says is markup.
func TestHostileRecord(t *testing.T) {
	html := htmlOf(t, hostileRecord(t))
	for _, bad := range []string{"<script>window", "<img", "\u202e"} {
		if strings.Contains(html, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	if !strings.Contains(html, "&lt;img src=x") {
		t.Error("the question is not there at all")
	}
}

// TestPolicyFits: each script and style of a file is one that its policy lets
// through, and nothing else is allowed.
func TestPolicyFits(t *testing.T) {
	html := htmlOf(t, hostileRecord(t))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'; ") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("the policy is %q", policy)
	}
	elements := regexp.MustCompile(`(?s)<(style|script)( type="[^"]*")?[^>]*>(.*?)</(?:style|script)>`).FindAllStringSubmatch(html, -1)
	if len(elements) < 2 {
		t.Fatalf("there are %d styles and scripts", len(elements))
	}
	for _, e := range elements {
		sum := sha256.Sum256([]byte(e[3]))
		hash := e[1] + "-src"
		_, sources, _ := strings.Cut(policy[1], hash)
		sources, _, _ = strings.Cut(sources, ";")
		isData := strings.Contains(e[2], "application/json")
		if fits := strings.Contains(sources, base64.StdEncoding.EncodeToString(sum[:])); fits == isData {
			t.Errorf("a %s%s of %d bytes: the policy has its hash: %v", e[1], e[2], len(e[3]), fits)
		}
	}
}

// TestData: what the program gets is what the record holds.
func TestData(t *testing.T) {
	rec := hostileRecord(t)
	p, err := page.NewServed(rec)
	if err != nil {
		t.Fatal(err)
	}
	part, err := p.Part()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(part), `id="plinth-data">`)
	text, _, found := strings.Cut(text, "</script>")
	var data page.Data
	if err := json.Unmarshal([]byte(text), &data); err != nil || !found {
		t.Fatal(err)
	}
	if data.Schema != page.Schema || !data.Served || len(data.Runs) != 1 || data.Runs[0].Reasons[0].Text != prose.Printable(rec.Runs[0].Reasons[0].Text) {
		t.Errorf("the data are %+v", data)
	}
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 1234.567: "1235", 0.00012345: "0.0001234", 1e20: "1e+20", -3.5: "-3.5", 123456: "123500"} {
		if got, err := json.Marshal(page.Number(f)); err != nil || string(got) != want {
			t.Errorf("%v: %s (%v), want %s", f, got, err, want)
		}
	}
}
