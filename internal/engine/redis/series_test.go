//go:build linux

package redis

import "testing"

// TestSeries: a server removes the keys that earlier ones of its series have left, and no other.
func TestSeries(t *testing.T) {
	t.Parallel()
	own := startOwn(t, ownConfig(t), oneInstalled(t))
	rdb, _ := reach(t, own.Target())
	for _, key := range []string{"plinth:ab121:k", "plinth:ab122:k", "plinth:ab2:k", "ab12"} {
		must(t, rdb.Set(t.Context(), key, "v", 0).Err())
	}
	c := newConnected(t, "unix://"+own.Options.Addr)
	c.Series, c.prefix = "ab12", "plinth:ab123:"
	must(t, c.Start(t.Context()))
	must(t, c.Load(t.Context(), nil))
	for key, want := range map[string]int64{"plinth:ab121:k": 0, "plinth:ab122:k": 0, "plinth:ab2:k": 1, "ab12": 1} {
		if got := rdb.Exists(t.Context(), key).Val(); got != want {
			t.Errorf("%s: %d, want %d", key, got, want)
		}
	}
	must(t, c.Remove(t.Context()))
}
