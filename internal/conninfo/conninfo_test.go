package conninfo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestConninfoShowsNoPassword(t *testing.T) {
	for secret, public := range map[string]string{
		"postgresql://db/postgres":                                        "postgresql://db/postgres",
		"postgres://u:hunter2@db:5432/postgres":                           "postgresql://u@db:5432/postgres",
		"postgresql://u@db/postgres?sslmode=require&password=hunter2":     "postgresql://u@db/postgres?sslmode=require",
		"postgresql://db/?p%61ssword=hunter2":                             "postgresql://db/",
		"postgresql://db/?PASSWORD=hunter2&sslpassword=hunter2&connect=1": "postgresql://db/?connect=1",
		"postgresql://:hunter2@db":                                        "postgresql://db",
		"postgresql://u:hun?ter2=hunter2@db/a":                            "postgresql://u@db/a",
		"postgresql://u:hunter2@h1:1,h2:2/d?target_session_attrs=any":     "postgresql://u@h1:1,h2:2/d?target_session_attrs=any",
		"postgresql://u:hunter2@[::1]:5432/d":                             "postgresql://u@[::1]:5432/d",
		"postgresql://db?dbname=postgresql%3A%2F%2Fu%3Ahunter2%40x":       "postgresql://db",
		"host=db user=u password=hunter2 dbname=d":                        "host=db user=u dbname=d",
		"password = 'hunter2 x' host = db":                                "host=db",
		`host=db password='hun\'ter2 hunter2' user='a b'`:                 "host=db user='a b'",
		"password=hunter2":                                                "postgresql://",
		"dbname='password=hunter2' host=db":                               "host=db",
		"hunter2":                                                         "(a connection string that cannot be parsed)",
		"Postgresql://u:hunter2@db?x=1":                                   "(a connection string that cannot be parsed)",
		"":                                                                "",
	} {
		c := Conninfo(secret)
		if c.String() != public || c.Secret() != secret {
			t.Errorf("%s: shown as %q, want %q", secret, c, public)
		}
		if again := Conninfo(public); again.Check() == nil && again.String() != public {
			t.Errorf("%q is shown as %q", public, again)
		}
		env := struct{ Connect Conninfo }{c}
		asJSON, err := json.Marshal(env)
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s %q", env, env, env, c, c), string(asJSON), c.GoString()} {
			if strings.Contains(shown, "hunter2") || strings.Contains(shown, "ter2") {
				t.Errorf("a password is shown: %s", shown)
			}
		}
	}
}

func TestConninfoCheck(t *testing.T) {
	for _, good := range []string{
		"postgresql://", "postgres://u:p@h/d?sslmode=require", "postgresql://%2Ftmp/d", "service=lab", "host=/tmp user = 'a b'",
	} {
		if err := Conninfo(good).Check(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"postgresql://u:p@x@h/d", "postgresql://u:p/x@h/d", "postgresql://h/d@x", "postgresql://h/?a=%zz", "db", "=x", "host='a", "a b=c",
	} {
		if Conninfo(bad).Check() == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// FuzzConninfo: what is shown of a connection string can be shown again, and a
// password that libpq would find in it is not there.
func FuzzConninfo(f *testing.F) {
	for _, text := range []string{"postgresql://u:p@h:1/d?a=b", "host=a password='b c'", "postgres://", "a = 'b\\'c'", "x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := Conninfo(text)
		if c.Check() != nil {
			return
		}
		public := Conninfo(c.String())
		if public.Check() != nil || public.String() != string(public) {
			t.Fatalf("%q is shown as %q, which is shown as %q (%v)", text, string(public), public, public.Check())
		}
	})
}
