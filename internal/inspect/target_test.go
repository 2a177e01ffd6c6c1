package inspect

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/hint"
)

func TestParseTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"data", "host=odd"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		".": here, "data": filepath.Join(here, "data"), "/": "/", "host=odd": filepath.Join(here, "host=odd"),
		"postgres://me:hush@h/db": "postgresql://me@h/db", "postgresql://": "postgresql://", "host=h password=hush": "host=h",
		"redis://me:hush@cache": "redis://me@cache:6379/0", "rediss://cache/2": "rediss://cache:6379/2", "unix:///run/r.sock": "unix:///run/r.sock?db=0",
	} {
		target, err := ParseTarget(text)
		if err != nil || target.String() != want {
			t.Errorf("%s is %s, %v, want %s", text, target, err, want)
		}
	}
}

// TestSockets checks that the path of a socket means Redis, except for PostgreSQL's.
func TestSockets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"redis.sock", ".s.PGSQL.5432"} {
		listener, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
	}
	target, err := ParseTarget(filepath.Join(dir, "redis.sock"))
	if err != nil || target.String() != "unix://"+dir+"/redis.sock?db=0" {
		t.Errorf("%s, %v", target, err)
	}
	_, err = ParseTarget(filepath.Join(dir, ".s.PGSQL.5432"))
	if err == nil || hint.Of(err) != "give its directory: host="+dir {
		t.Errorf("%v, %q", err, hint.Of(err))
	}
}

func TestParseTargetRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                          "the target is empty",
		"nowhere":                   "directory nowhere does not exist",
		"/mnt/a=b":                  "directory /mnt/a=b does not exist",
		file:                        file + " is not a directory",
		strings.Repeat("long", 100): "cannot access the directory longlong",
		file + "/below":             "cannot access the directory " + file + "/below: not a directory",
		"postgrsql://me:hush@h/db":  "postgrsql:// is not a scheme of connection strings",
		"mysql://h/db?a=b":          "mysql:// is not a scheme of connection strings",
		"nul\x00":                   "cannot access the directory nul",
	} {
		_, err := ParseTarget(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if strings.HasPrefix(text, "postgrsql") && hint.Of(err) != "did you mean postgresql?" {
			t.Errorf("%q: hint %q", text, hint.Of(err))
		}
		if (strings.HasSuffix(want, "does not exist") || strings.Contains(text, "://")) && hint.Of(err) == "" {
			t.Errorf("%q: no hint", text)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, text := range []string{"", "/", "host=x", "postgresql://a:b@c/d", "=", "a=b c='"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := ParseTarget(text)
		if err == nil && (target.Server == "") == (target.Dir == "") {
			t.Fatalf("%q is %+v", text, target)
		}
	})
}
