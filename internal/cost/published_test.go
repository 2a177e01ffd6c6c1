package cost

import (
	"testing"

	"plinth/internal/price"
)

// TestPublished: which published values follow from the publication's own prices. The others are named
// with what they lack or what they would be.
func TestPublished(t *testing.T) {
	all, err := PublishedTables(Books{})
	if err != nil {
		t.Fatal(err)
	}
	does := map[string]bool{}
	for _, table := range all {
		for _, r := range table.Rows {
			does[table.Name+": "+r.Name] = Follows(r.Printed, r.Own)
			if r.Measure != "" && r.Measure != "ratio" && measures[r.Measure] == nil {
				t.Errorf("%s: there is no measure %s", r.Name, r.Measure)
			}
			for _, other := range []string{r.Of, r.Over, r.Minus} {
				if other != "" && table.row(other).Name == "" {
					t.Errorf("%s: there is no row %s", r.Name, other)
				}
			}
		}
	}
	for name, want := range map[string]bool{
		"case-study: on demand": true, "case-study: spot": true, "case-study: a million transactions, on demand": true,
		"case-study: a million transactions, spot": true, "case-study: TPS per dollar, spot": true,
		"scaling-options: io2 of 660 GB, 20,000 IOPS": false, "scaling-options: 6,000 IOPS a disk": false,
		"volume-map: gp3": true, "volume-map: gp3, 6,000 IOPS, 250 MB/s": true, "volume-map: io1": false, "volume-map: io2 Block Express, 64,000 IOPS": false,
		"content-platform: before": true, "content-platform: after": false, "content-platform: 1,000 TPS, before": true,
		"content-platform: old_articles on gp3": true,
	} {
		if got, found := does[name]; !found || got != want {
			t.Errorf("%s follows: %v (known: %v), want %v", name, got, found, want)
		}
	}
}

func TestFollows(t *testing.T) {
	for _, test := range []struct {
		printed float64
		value   price.Amount
		want    bool
	}{{40, 40.4, true}, {40, 40.6, false}, {0.0084, 0.00838, true}, {0.0084, 0.00834, false}, {9.52, 9.5238, true}, {23, price.Unknown, false}} {
		if got := Follows(test.printed, test.value); got != test.want {
			t.Errorf("%g from %v: %v", test.printed, test.value, got)
		}
	}
}
