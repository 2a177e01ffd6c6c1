package device

import "testing"

func TestCached(t *testing.T) {
	cache, none := Device{WriteCache: true}, Device{}
	for name, tc := range map[string]struct {
		device Device
		want   bool
	}{
		"with one":            {cache, true},
		"without":             {none, false},
		"a member has one":    {Device{Array: &Array{Of: &cache}}, true},
		"no member has one":   {Device{Array: &Array{Of: &none}}, false},
		"an array of nothing": {Device{Array: &Array{}}, false},
	} {
		if got := tc.device.Cached(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
