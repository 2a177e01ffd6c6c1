package experiment

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"duration=2s": "duration=2s",
		"environments.a.connect=postgresql://me:hunter2@db:5432/x":              "environments.a.connect=postgresql://me@db:5432/x",
		"environments={a: {connect: 'postgres://me:hunter@2@db/x'}}":            "environments={a: {connect: 'postgres://me@db/x'}}",
		"environments.a.connect=host=db user=me password=hunter2 dbname=x":      "environments.a.connect=host=db user=me password= dbname=x",
		"environments.a.connect=host=db password = 'hunter2 \\' x' dbname=x":    "environments.a.connect=host=db password =  dbname=x",
		"environments.a.connect=postgresql://db/x?password=hunter2&sslmode=off": "environments.a.connect=postgresql://db/x?password=&sslmode=off",
	} {
		got := Redact(text)
		if got != want {
			t.Errorf("Redact(%q) = %q, want %q", text, got, want)
		}
		if strings.Contains(got, "hunter") {
			t.Errorf("Redact(%q) = %q still holds the password", text, got)
		}
	}
}

func TestFixedSettlesWhatLoadingChose(t *testing.T) {
	const text = "workloads: [select-only]\ndataset: {scale: 8, fit: true}\nenvironments: {a: {}}\n"
	first, _, err := Parse("x.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Dataset.Scale = 2 // fitted
	again, _, err := Parse("x.yaml", []byte(text), "", first.Fixed())
	if err != nil {
		t.Fatal(err)
	}
	if d := Differences(first, again); len(d) > 0 {
		t.Errorf("loaded again with Fixed it differs: %v", d)
	}
}
