package conninfo

import "testing"

func TestTCP(t *testing.T) {
	for text, want := range map[string]string{
		"host=10.0.0.5 port=5433 dbname=plinth":              "10.0.0.5:5433",
		"host=db1":                                           "db1:5432",
		"hostaddr=10.0.0.5 host=db1":                         "10.0.0.5:5432",
		"postgresql://plinth@[fd00::5]:6000/plinth":          "[fd00::5]:6000",
		"host=/run/plinth port=5432":                         "",
		"host=a,b port=1,2":                                  "",
		"dbname=plinth":                                      "",
		"redis://10.0.0.5:7000/0?prefix=plinth:":             "10.0.0.5:7000",
		"rediss://user@db1":                                  "db1:6379",
		"unix:///run/redis.sock?prefix=plinth%3Aa1%3Aother%": "",
	} {
		if got, over := Conninfo(text).TCP(); got != want || over != (want != "") {
			t.Errorf("%s: %q, %t", text, got, over)
		}
	}
}
