package conninfo

import (
	"slices"
	"strings"
	"testing"
)

func TestParametersOfAConninfo(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"host=a  port = 5432", "host=a port=5432"},
		{`user='a b' password='it\'s \\' dbname=x\ y`, `user='a b' password='it\'s \\' dbname='x y'`},
		{"options=''", "options=''"},
		{"postgresql://", "postgresql://"},
		{"postgres://u:p%40@h:1/d?sslmode=require&connect_timeout=3", "user=u password=p@ host=h port=1 dbname=d sslmode=require connect_timeout=3"},
		{"postgres://u:what?=1@h/d", "user=u password=what?=1 host=h dbname=d"},
		{"postgresql://[::1]:77/d", "host=::1 port=77 dbname=d"},
		{"postgresql://a:1,b:2/d", "host=a,b port=1,2 dbname=d"},
		{"postgresql:///d?host=/run/pg&ssl=true", "dbname=d host=/run/pg sslmode=require"},
		{"postgresql://%2Frun%2Fpg/d", "host=/run/pg dbname=d"},
	} {
		got, err := Conninfo(test.text).Parameters()
		if err != nil || got.String() != test.want {
			t.Errorf("%q gave %q, %v, want %q", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"", "secret", "host", "a b=secret", "host='secret", "postgresql://u:secret%zz@h", "postgresql://h?secret%zz=1", "postgresql://h?secret%3D=1", "postgresql://[secret", "postgresql://h?secret", "host=secret\x00", "postgresql://secret%00"} {
		if got, err := Conninfo(text).Parameters(); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q gave %q, %v", text, got, err)
		}
	}
}

func FuzzParameters(f *testing.F) {
	f.Add(`host='a\'b' user=x`)
	f.Add("postgresql://u:p@[::1]:5/d?options=b")
	f.Fuzz(func(t *testing.T, text string) {
		if Conninfo(text).Check() != nil {
			return
		}
		first, err := Conninfo(text).Parameters()
		if err != nil {
			t.Fatalf("%q is taken, and can't be read: %v", text, err)
		}
		again, err := Conninfo(first.String()).Parameters()
		if err != nil || !slices.Equal(first, again) {
			t.Errorf("%q printed as %q is read as %q, %v", text, first, again, err)
		}
	})
}
