package address

import (
	"strings"
	"testing"

	"plinth/internal/hint"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Address{
		"ssh://db1":                     {Host: "db1"},
		"ssh://admin@db2:2222":          {Host: "db2", User: "admin", Port: 2222},
		"ssh://db_3.example.org":        {Host: "db_3.example.org"},
		"ssh://10.0.0.1:22":             {Host: "10.0.0.1", Port: 22},
		"ssh://[2001:db8::1]":           {Host: "2001:db8::1"},
		"ssh://first.last@[::1]:65535":  {Host: "::1", User: "first.last", Port: 65535},
		"ssh://_svc-x@DB1.EXAMPLE.org.": {Host: "DB1.EXAMPLE.org.", User: "_svc-x"},
	} {
		got, err := Parse(text)
		if err != nil || got.String() != text || got.Host != want.Host || got.User != want.User || got.Port != want.Port {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"db1":                               "does not begin with ssh://",
		"SSH://db1":                         "does not begin with ssh://",
		"https://db1":                       "does not begin with ssh://",
		"ssh://":                            "has no host",
		"ssh://admin@":                      "has no host",
		"ssh://@db1":                        "empty user name",
		"ssh://db1/":                        "has a path",
		"ssh://db1/var":                     "has a path",
		"ssh://db1?x=1":                     "has a query",
		"ssh://db1#x":                       "has a query or a fragment",
		"ssh://admin:secret@db1":            "has a password",
		"ssh://admin:@db1":                  "has a password",
		"root:secret@db1":                   "does not begin with ssh://",
		"ssh://root:12/secret@db1":          "",
		"ssh://-oProxyCommand=x":            "is not a host name",
		"ssh://-l@db1":                      "is not a user name",
		"ssh://a@-v":                        "is not a host name",
		"ssh://a@b@c":                       "is not a host name",
		"ssh://db 1":                        "is not a host name",
		"ssh://db1;reboot":                  "is not a host name",
		"ssh://$(reboot)":                   "is not a host name",
		"ssh://db%31":                       "is not a host name",
		"ssh://db1\n":                       "is not a host name",
		"ssh://dátabase":                    "is not a host name",
		"ssh://a%20b@db1":                   "is not a user name",
		"ssh://a'b@db1":                     "is not a user name",
		"ssh://db1:":                        "a port is a number",
		"ssh://db1:0":                       "a port is a number",
		"ssh://db1:65536":                   "a port is a number",
		"ssh://db1:+22":                     "a port is a number",
		"ssh://db1:022":                     "a port is a number",
		"ssh://db1:ssh":                     "a port is a number",
		"ssh://2001:db8::1":                 "in brackets",
		"ssh://[2001:db8::1":                "the brackets must contain",
		"ssh://[fe80::1%25eth0]":            "the brackets must contain",
		"ssh://[fe80::1%eth0]":              "the brackets must contain",
		"ssh://[10.0.0.1]":                  "the brackets must contain",
		"ssh://[db1]":                       "the brackets must contain",
		"ssh://[::1]22":                     "only a port",
		"ssh://" + strings.Repeat("a", 300): "is not a host name",
	} {
		a, err := Parse(text)
		switch {
		case err == nil:
			t.Errorf("%q was accepted as %+v", text, a)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v; want %q", text, err, want)
		case hint.Of(err) == "":
			t.Errorf("%q: %v, without a hint", text, err)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("the password is shown: %v", err)
		}
	}
}

// Whatever is accepted is never an option of ssh, and prints as it was written.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"ssh://db1", "ssh://admin@db2:2222", "ssh://[::1]:22", "ssh://-x", "ssh://a:b@c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		if a.String() != text {
			t.Errorf("%q prints as %q", text, a)
		}
		if a.Host == "" || strings.HasPrefix(a.Host, "-") || strings.HasPrefix(a.User, "-") || strings.ContainsAny(a.Host+a.User, " \t\n'\"`$;&|<>()\\%*?~!#{}[]") {
			t.Errorf("%q was accepted as %+v", text, a)
		}
	})
}

// An address that did not come from Parse is checked just the same.
func TestCheck(t *testing.T) {
	for _, a := range []Address{
		{}, {Host: "-v"}, {Host: "db1", User: "-v"}, {Host: "db1", Port: 70000}, {Host: "db1", Port: -1},
		{Command: []string{""}}, {Host: "db1", Command: []string{"docker"}}, {Host: "fe80::1%eth0"},
	} {
		if a.Check() == nil {
			t.Errorf("%+v was accepted", a)
		}
	}
	a := Address{Command: []string{"docker", "exec", "-i", "pg", "plinth", "agent"}}
	if err := a.Check(); err != nil || a.String() != "docker exec -i pg plinth agent" || a.Name() != a.String() {
		t.Errorf("%v is %q", err, a)
	}
}
