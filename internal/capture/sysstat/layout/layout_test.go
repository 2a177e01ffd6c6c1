package layout

import (
	"math"
	"testing"
	"time"

	"plinth/internal/capture"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]Number{
		"0.00":              {Value: 0, Decimals: 2, Digits: 3},
		"680192.50":         {Value: 680192.5, Decimals: 2, Digits: 8},
		"12,5":              {Value: 12.5, Decimals: 1, Digits: 3},
		"-1.00":             {Value: -1, Decimals: 2, Digits: 3},
		"177.1M":            {Value: 177.1, Decimals: 1, Digits: 4, Suffix: 'M'},
		"99.9%":             {Value: 99.9, Decimals: 1, Digits: 3, Suffix: '%'},
		"12345678901234567": {Value: 12345678901234567, Digits: 17},
	} {
		if got, ok := ParseNumber([]byte(text)); !ok || got != want {
			t.Errorf("%s is %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"-", "nan", "-nan"} {
		if got, ok := ParseNumber([]byte(text)); !ok || !math.IsNaN(got.Value) {
			t.Errorf("%s is %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "1.2.3", "1,234", "1.234", "12kB", "1e5", "0x10", "+1", "all", "1.5x"} {
		if got, ok := ParseNumber([]byte(text)); ok {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

func TestNumberIn(t *testing.T) {
	for text, want := range map[string]float64{"2.0k": 2, "1.5M": 1536, "512B": 0.5, "3.00": 3, "7%": 7} {
		n, _ := ParseNumber([]byte(text))
		if got := n.In(1024); got != want {
			t.Errorf("%s in kB is %v", text, got)
		}
	}
}

func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-03": "2026-01-03", "2026/01/03": "2026-01-03",
		"31.12.2026": "2026-12-31", "03.04.20": "2020-04-03",
		"11/26/26": "2026-11-26", "26/11/2026": "2026-11-26", "12/12/21": "2021-12-12", "26-11-26": "2026-11-26",
		"03/04/20": "", "01/03/2026": "", "03-04-20": "", // the month may be the first or the second
		"13/13/20": "", "30.02.2020": "", "02/30/20": "", "1/2": "", "2026-01/03": "", "Jan 3": "", "03/04/1980": "",
	} {
		got, ok := ParseDate(text)
		if ok != (want != "") || ok && got.Format(time.DateOnly) != want {
			t.Errorf("%s is %v, %t", text, got, ok)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	for text, want := range map[string][2]int{
		"12:00:00 AM x": {0, 2}, "12:00:00 PM": {43200, 2}, "01:02:03 PM": {46923, 2}, "13:02:03": {46923, 1},
		"13:02:03 PM": {46923, 1}, "24:00:00": {0, 0}, "1:02:03": {0, 0}, "10:61:00": {0, 0}, "": {0, 0}, "aa:bb:cc": {0, 0},
	} {
		seconds, used := TimeOfDay(Fields(nil, []byte(text)))
		if seconds != want[0] || used != want[1] {
			t.Errorf("%s is %d, %d fields", text, seconds, used)
		}
	}
}

func TestDays(t *testing.T) {
	const hour = 3600
	var days Days
	for i, step := range []struct {
		clock, total int
		back         bool
	}{
		{22 * hour, 22 * hour, false}, {1 * hour, 25 * hour, false}, {3 * hour, 27 * hour, false},
		{2 * hour, 26 * hour, true},          // the end of summer time
		{23 * hour, 47*hour - 24*hour, true}, // set back over midnight
	} {
		if total, back := days.Next(step.clock); total != step.total || back != step.back {
			t.Errorf("step %d: %d, %t", i, total, back)
		}
	}
}

func TestStamp(t *testing.T) {
	for text, want := range map[string]capture.Moment{
		"2024-03-14T17:53:14-0700": {Time: time.Date(2024, 3, 15, 0, 53, 14, 0, time.UTC), Clock: capture.UTC},
		"11/26/26 18:41:37":        {Time: time.Date(2026, 11, 26, 18, 41, 37, 0, time.UTC), Clock: capture.Local},
		"11/26/2026 06:41:37 PM":   {Time: time.Date(2026, 11, 26, 18, 41, 37, 0, time.UTC), Clock: capture.Local},
		"26.11.2026 18:41:37":      {Time: time.Date(2026, 11, 26, 18, 41, 37, 0, time.UTC), Clock: capture.Local},
		"03/04/20 18:41:37":        {Time: time.Date(1970, 1, 1, 18, 41, 37, 0, time.UTC), Clock: capture.OfDay},
	} {
		if got, ok := Stamp(text); !ok || !got.Time.Equal(want.Time) || got.Clock != want.Clock {
			t.Errorf("%s is %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "sda 1.00", "11/26/26", "18:41:37", "11/26/26 18:41:37 all"} {
		if got, ok := Stamp(text); ok {
			t.Errorf("%s is %v", text, got)
		}
	}
}

func TestParseBanner(t *testing.T) {
	got, ok := ParseBanner([]byte("Linux 4.4.0-1083-aws (ip-10-0-0-97)  05/21/2019   _x86_64_  (8 CPU)"))
	if want := (Banner{"4.4.0-1083-aws", "ip-10-0-0-97", "05/21/2019", "x86_64", 8}); !ok || got != want {
		t.Errorf("%+v, %t", got, ok)
	}
	for _, text := range []string{"Linux 4.4.0", "Linux 4.4.0 (x) 05/21/2019 _x86_64_ (0 CPU)", "linux 4.4.0 (x) 05/21/2019 _x86_64_ (8 CPU)"} {
		if got, ok := ParseBanner([]byte(text)); ok {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, test := range []struct {
		heading, row string
		like         string
		want         bool
	}{
		{"CPU    %usr   %idle", "all   10.00   90.00", "90.00", true},
		{"CPU    %usr   %idle", "all   10.00   90.0", "90.00", false},
		{"CPU    %usr   %idle", "all   10.00   9", "90.00", false},
		{"CPU    %usr   %idle", "all   10.00   90.00", "", true},
		{"CPU    %usr   %idle", "all 123456.00   90.0", "", false},
		{"kB_read    kB_wrtn", "  12345       1234", "", true},
		{"kB_read    kB_wrtn", "  12345       123", "", false},
		{"kB_read    kB_wrtn", "  12345 1234567890", "", false}, // it may have had an eleventh digit
		{"kB_read    kB_wrtn", "  12.3k      12.3k", "", true},
		{"kB_read    kB_wrtn", "  12.3k      12.3", "", false},
	} {
		var like *Number
		if n, ok := ParseNumber([]byte(test.like)); ok {
			like = &n
		}
		fields := Fields(nil, []byte(test.row))
		n, ok := ParseNumber(fields[len(fields)-1])
		if got := Whole(EdgeOf([]byte(test.heading)), EdgeOf([]byte(test.row)), n, like); !ok || got != test.want {
			t.Errorf("%q under %q: %t", test.row, test.heading, got)
		}
	}
}
