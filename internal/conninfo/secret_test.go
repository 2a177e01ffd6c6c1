package conninfo

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
