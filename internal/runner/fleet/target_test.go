package fleet

import (
	"net/netip"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/runner/site"
)

func TestCheckTarget(t *testing.T) {
	const own = "host=192.0.2.1 port=5433 user=plinth dbname=plinth sslmode=prefer"
	for name, tc := range map[string]struct {
		connect, target, set string
		want                 string // in the error; empty for none
	}{
		"plinth's own":        {"", own, "PGPASSWORD=x", ""},
		"its own Redis":       {"", "redis://192.0.2.1:6380?prefix=p", "PLINTH_REDIS_PASSWORD=x", ""},
		"another variable":    {"", own, "LD_PRELOAD=/tmp/x.so", `"LD_PRELOAD"`},
		"another address":     {"", "host=192.0.2.9 port=5432", "", "not at 192.0.2.1"},
		"another hostaddr":    {"", own + " hostaddr=192.0.2.9", "", "not at 192.0.2.1"},
		"a socket":            {"", "host=/run/postgresql", "", "not at 192.0.2.1"},
		"an option":           {"", "--file=/etc/passwd", "", "not at"},
		"an option and more":  {"", "--file=/etc/passwd " + own, "", "not at"},
		"a key":               {"", own + " sslkey=/root/key", "", `"sslkey"`},
		"a certificate":       {"", "redis://192.0.2.1:6380?cacert=/root/ca", "", `"cacert"`},
		"connected":           {"postgresql://me@db/shop?connect_timeout=5", "host=db port=5432 user=me dbname=plinth connect_timeout=5", "", ""},
		"connected, a file":   {"postgresql://me@db/shop", "host=db user=me dbname=plinth passfile=/root/.pgpass", "", `"passfile"`},
		"connected elsewhere": {"host=db user=me", "host=192.0.2.66 user=me dbname=plinth", "", `"host"`},
		"connected, no TLS":   {"host=db sslmode=verify-full", "host=db sslmode=disable", "", `"sslmode"`},
		"connected, another":  {"host=db user=me", "host=db hostaddr=192.0.2.66 user=me dbname=plinth", "", `"hostaddr"`},
		"connected, less TLS": {"host=db", "host=db sslmode=disable", "", `"sslmode"`},
		"connected, changed":  {"host=db sslkey=/a", "host=db sslkey=/b", "", `"sslkey"`},
		"connected Redis":     {"rediss://db?cacert=/ca", "rediss://db:6379?cacert=%2Fca&prefix=p", "", ""},
		"Redis without TLS":   {"rediss://db", "redis://db", "", "changes the address"},
		"a socket of Redis":   {"unix:///run/redis.sock", "unix:///run/redis.sock?db=0&prefix=p", "", ""},
		"another port":        {"redis://db:6380", "redis://db:6379", "", "changes the address"},
		"another user":        {"redis://me@db", "redis://you@db", "", "changes the address"},
		"Redis elsewhere":     {"redis://db", "redis://192.0.2.66", "", "changes the address"},
		"connected, no Redis": {"redis://db", "redis://db?cacert=/root/ca", "", `"cacert"`},
	} {
		e := experiment.Environment{Name: "a", Connect: conninfo.Conninfo(tc.connect)}
		target := engine.Target{Conninfo: tc.target}
		if tc.set != "" {
			target.Env = launch.Variables{Set: []string{tc.set}}
		}
		err := checkTarget(e, netip.MustParseAddr("192.0.2.1"), target)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
}

// TestTargetElsewhere gives load generators the address of a server that is not the environment's.
func TestTargetElsewhere(t *testing.T) {
	f, _, server, one, _ := driven(t, drivenText)
	f.reached["a"] = netip.MustParseAddr("192.0.2.7")
	if _, err := f.Ready(t.Context(), site.Order{Environment: "a"}); err == nil || !strings.Contains(err.Error(), "not at 192.0.2.7") {
		t.Errorf("error is %v", err)
	}
	if len(one.orders) > 0 || !server.ending.Failed {
		t.Errorf("a load generator was told %+v, and the server's machine %+v", one.orders, server.ending)
	}
}
