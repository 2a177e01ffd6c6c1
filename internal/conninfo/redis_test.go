package conninfo

import (
	"fmt"
	"strings"
	"testing"
)

func TestRedisAddress(t *testing.T) {
	for uri, want := range map[string]string{
		"redis://localhost":                           "redis://localhost:6379/0",
		"redis://cache:6380/3":                        "redis://cache:6380/3",
		"redis://:hush@cache":                         "redis://cache:6379/0",
		"redis://me:hu%40sh@[::1]:6380":               "redis://me@[::1]:6380/0",
		"rediss://me:hush@cache/1?cacert=/etc/ca.pem": "rediss://me@cache:6379/1?cacert=%2Fetc%2Fca.pem",
		"unix:///run/redis.sock":                      "unix:///run/redis.sock?db=0",
		"unix://me:hush@/run/redis.sock?db=2":         "unix://me@/run/redis.sock?db=2",
	} {
		a, err := Conninfo(uri).Redis()
		if err != nil || a.String() != want {
			t.Errorf("%s: %s, %v; want %s", uri, a.String(), err, want)
		}
		if strings.Contains(uri, "hush") != (a.Password == "hush") && a.Password != "hu@sh" {
			t.Errorf("%s: password %q", uri, a.Password)
		}
		for _, shown := range []string{fmt.Sprintf("%v", a), fmt.Sprintf("%#v", a), fmt.Sprintf("%+v", a), Conninfo(uri).String()} {
			if strings.Contains(shown, "hu") && !strings.Contains(shown, "hub") {
				t.Errorf("%s shows its password: %s", uri, shown)
			}
		}
		if again, err := Conninfo(want).Redis(); err != nil || again.String() != want {
			t.Errorf("%s: %v, %v when it is read again", want, again, err)
		}
	}
}

func TestRedisAddressMistakes(t *testing.T) {
	for uri, want := range map[string]string{
		"redis://cache/first":              "number",
		"redis://cache/-1":                 "number",
		"redis://cache?cacert=/x":          "parameter",
		"redis://cache?timeout=3":          "parameter",
		"redis://me:hush@sh/x@cache:port/": "number",
		"unix://cache":                     "socket",
		"postgresql://cache":               "is not a valid URI",
	} {
		_, err := Conninfo(uri).Redis()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v; want %q", uri, err, want)
		}
	}
}

func TestRedactRedis(t *testing.T) {
	for text, want := range map[string]string{
		"connect=redis://me:hush@cache/0":    "connect=redis://me@cache/0",
		"connect=rediss://:hu:sh@cache":      "connect=rediss://@cache",
		"connect=unix://me:hush@/run/r.sock": "connect=unix://me@/run/r.sock",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}
