package setting

import "testing"

func TestParseQuantities(t *testing.T) {
	for _, test := range []struct {
		value string
		unit  int64
		want  int64
	}{
		{"128MB", 8192, 128 << 20}, {"16384", 8192, 128 << 20}, {"1.5 GB", 1, 3 << 29}, {" 1TB ", 1, 1 << 40},
		{"-1", 8192, -8192}, {"0", 1024, 0}, {"64kB", 1, 64 << 10}, {"2B", 1, 2},
	} {
		if got, err := Memory(test.value, test.unit); err != nil || got != test.want {
			t.Errorf("%q gave %d, %v", test.value, got, err)
		}
	}
	for _, bad := range []string{"", "MB", "1mb", "1 KB", "1e300TB", "x", "1MB x"} {
		if got, err := Memory(bad, 1); err == nil {
			t.Errorf("%q gave %d", bad, got)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, test := range []struct {
		written, printed, unit string
		want                   bool
	}{
		{"1024MB", "1GB", "8kB", true}, {"131072", "1GB", "8kB", true}, {"1GB", "1025MB", "8kB", false},
		{"yes", "on", "", true}, {"0", "off", "", true}, {"no", "on", "", false}, {"Replica", "replica", "", true},
		{"300", "5min", "s", true}, {"4", "4", "", true}, {"4.0", "4", "", true}, {"a", "b", "", false}, {"1s", "1s", "ms", true},
	} {
		if got := Same(test.written, test.printed, test.unit); got != test.want {
			t.Errorf("%q and %q (%s): %v", test.written, test.printed, test.unit, got)
		}
	}
}

func FuzzQuantity(f *testing.F) {
	f.Add("1.5GB")
	f.Fuzz(func(_ *testing.T, value string) {
		_, _ = Memory(value, 8192)
		Same(value, "8MB", "8kB")
	})
}

func TestPrinted(t *testing.T) {
	for _, c := range []struct{ bare, unit, want string }{
		{"16384", "8kB", "128MB"}, {"1", "8kB", "8kB"}, {"1024", "MB", "1GB"}, {"65536", "kB", "64MB"}, {"-1", "kB", "-1"}, {"0", "ms", "0"},
		{"300", "s", "5min"}, {"86400", "s", "1d"}, {"1500", "ms", "1500ms"}, {"4", "", "4"}, {"on", "", "on"}, {"100", "min", "100min"}, {"1048576", "kB", "1GB"}, {"", "kB", ""},
	} {
		if got := Printed(c.bare, c.unit); got != c.want {
			t.Errorf("%s of %s is printed as %s, want %s", c.bare, c.unit, got, c.want)
		}
	}
}
