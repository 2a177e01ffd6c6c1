package price

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/instance"
)

// today returns today's book.
func today(t *testing.T) *Book {
	t.Helper()
	b, err := Find(Today)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestToday pins prices of each region and kind. Those that were published are compared with the
// publication; the others hold the book still until someone looks at a difference.
func TestToday(t *testing.T) {
	b := today(t)
	if b.Hours != HoursInMonth || b.Currency != "USD" {
		t.Errorf("a month of %g hours, in %s", b.Hours, b.Currency)
	}
	unknown := math.NaN()
	for _, test := range []struct {
		region, term, service, kind string
		want                        float64 // dollars per hour
	}{
		{"us-east-1", "", "", "t3.medium", 0.0416},
		{"us-east-1", "", "", "m6i.large", 0.096},
		{"us-east-1", "", "", "r5b.metal", 7.152},
		{"us-east-1", "reserved-1y", "", "m6i.large", 0.0635},
		{"us-west-2", "", "", "c7g.2xlarge", 0.29},
		{"us-west-2", "", "", "i3en.large", 0.226},
		{"us-west-2", "reserved-1y", "", "i4i.large", 0.111},
		{"ap-southeast-3", "", "", "m7g.large", 0.102},
		{"ap-southeast-3", "", "", "c7g.large", unknown}, // the region has none
		{"ap-southeast-3", "reserved-1y", "", "t3.nano", 0.0042},
		{"us-east-1", "", "rds-postgresql", "db.t3.large", 0.145},
		{"us-east-1", "", "rds-postgresql", "db.m6i.large", 0.178},
		{"us-east-1", "reserved-1y", "rds-postgresql", "db.m6i.large", unknown},
		{"us-west-2", "", "rds-postgresql", "db.r6i.2xlarge", 1},
		{"ap-southeast-3", "", "rds-postgresql", "db.m7g.large", 0.235},
		{"us-east-1", "", "aurora-postgresql", "db.r6g.large", 0.26},
		{"us-east-1", "", "aurora-postgresql", "db.r6i.xlarge", 0.58},
		{"us-east-1", "", "aurora-postgresql-io-optimized", "db.r6g.large", 0.338},
		{"us-west-2", "", "aurora-postgresql-io-optimized", "db.r6g.2xlarge", 1.349},
		{"ap-southeast-3", "", "aurora-postgresql", "db.t4g.medium", 0.113},
	} {
		r, err := b.Region(test.region)
		if err != nil {
			t.Fatal(err)
		}
		item, err := b.Instance(r, test.kind, test.term, 1)
		if test.service != "" {
			item, err = b.Class(r, test.service, test.kind, test.term, 1)
		}
		if got := float64(item.Price); err != nil || got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%+v: %g, %v", test, got, err)
		}
	}
}

// TestTodaysVolumes compares bills with values calculated by hand.
func TestTodaysVolumes(t *testing.T) {
	b := today(t)
	east, west, jakarta := b.Regions["us-east-1"], b.Regions["us-west-2"], b.Regions["ap-southeast-3"]
	rds, aurora := east.Databases["rds-postgresql"], east.Databases["aurora-postgresql"]
	for name, test := range map[string]struct {
		volume Volume
		size   Size
		want   float64
	}{
		"gp2":                      {east.Volumes["gp2"], Size{GB: 500}, 50},
		"gp3":                      {east.Volumes["gp3"], Size{GB: 500, IOPS: 6000, Throughput: 250}, 60},
		"io1":                      {east.Volumes["io1"], Size{GB: 500, IOPS: 20000}, 1362.50},
		"io2 in the first tier":    {east.Volumes["io2"], Size{GB: 660, IOPS: 20000}, 1382.50},
		"io2 in the second tier":   {east.Volumes["io2"], Size{GB: 500, IOPS: 64000}, 3598.50},
		"io2 in the third tier":    {east.Volumes["io2"], Size{GB: 500, IOPS: 65000}, 3598.50 + 31.85},
		"st1":                      {east.Volumes["st1"], Size{GB: 500}, 22.50},
		"sc1":                      {east.Volumes["sc1"], Size{GB: 500}, 7.50},
		"a snapshot":               {east.Volumes["snapshot"], Size{GB: 100}, 5},
		"gp2 in Oregon":            {west.Volumes["gp2"], Size{GB: 500}, 50},
		"gp3 in Oregon":            {west.Volumes["gp3"], Size{GB: 500}, 40},
		"its IOPS":                 {west.Volumes["gp3"], Size{GB: 500, IOPS: 3001}, math.NaN()},
		"gp3 in Jakarta":           {jakarta.Volumes["gp3"], Size{GB: 500}, math.NaN()},
		"RDS gp3 of 399 GB":        {rds.Volumes["gp3"], Size{GB: 399, IOPS: 4000}, 45.885 + 20},
		"RDS gp3 of 400 GB":        {rds.Volumes["gp3"], Size{GB: 400, IOPS: 12000, Throughput: 500}, 46},
		"more IOPS":                {rds.Volumes["gp3"], Size{GB: 400, IOPS: 14000}, 46 + 40},
		"more throughput":          {rds.Volumes["gp3"], Size{GB: 400, Throughput: 501}, math.NaN()},
		"RDS io1":                  {rds.Volumes["io1"], Size{GB: 100, IOPS: 1200}, 12.50 + 120},
		"Aurora, with its I/Os":    {aurora.Volumes["cluster"], Size{GB: 100, IOs: 52.56e6}, 10 + 10.512},
		"Aurora, without them":     {aurora.Volumes["cluster"], Size{GB: 100}, math.NaN()},
		"Aurora I/O-Optimized":     {east.Databases["aurora-postgresql-io-optimized"].Volumes["cluster"], Size{GB: 100}, 22.50},
		"a backup of RDS":          {rds.Volumes["backup"], Size{GB: 1000}, 95},
		"a backup of Aurora":       {aurora.Volumes["backup"], Size{GB: 400}, 8.40},
		"a backup of it in Oregon": {west.Databases["aurora-postgresql"].Volumes["backup"], Size{GB: 400}, 8.40},
	} {
		if got := month(test.volume.Items(b, test.size)); math.Abs(got-test.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
	if acu := *east.Databases["aurora-serverless-v2"].ACUHour; acu != 0.12 {
		t.Errorf("an ACU-hour costs %g", acu)
	}
	if acu := *east.Databases["aurora-serverless-v2-io-optimized"].ACUHour; acu != 0.16 {
		t.Errorf("an ACU-hour of I/O-Optimized costs %g", acu)
	}
}

// documented are the families of the published documents.
var documented = strings.Fields("t3 m6i m7g c7g r6i r5b i3en i4i")

// TestTodaysFamilies: the book has every size that the catalog of instances has. Jakarta has no c7g, r6i
// and r5b.
func TestTodaysFamilies(t *testing.T) {
	b := today(t)
	absent := map[string][]string{"ap-southeast-3": {"c7g", "r6i", "r5b"}}
	for _, region := range []string{"us-east-1", "us-west-2", "ap-southeast-3"} {
		hours := b.Regions[region].Instances.Hour
		for _, family := range documented {
			types := instance.InFamily(family)
			if len(types) == 0 {
				t.Fatalf("the catalog has no family %s", family)
			}
			for _, i := range types {
				if _, found := hours[i.Type]; found == slices.Contains(absent[region], family) {
					t.Errorf("%s in %s: has a price: %t", i.Type, region, found)
				}
			}
		}
	}
}

// TestTodaysOrder: what AWS sells at a reduction costs less, and what it sells at a premium costs more.
func TestTodaysOrder(t *testing.T) {
	b := today(t)
	for name, r := range b.Regions {
		reserved := r.Terms["reserved-1y"].Hour
		if !slices.Equal(slices.Sorted(maps.Keys(reserved)), slices.Sorted(maps.Keys(r.Instances.Hour))) {
			t.Errorf("%s: other types are reserved than are on demand", name)
		}
		for kind, hour := range r.Instances.Hour {
			if share := reserved[kind] / hour; !(share > 0.5 && share < 0.8) {
				t.Errorf("%s in %s: $%g reserved, $%g on demand", kind, name, reserved[kind], hour)
			}
			if cheapest := b.Regions["us-east-1"].Instances.Hour[kind]; !(hour >= cheapest) {
				t.Errorf("%s costs $%g in %s, $%g in us-east-1", kind, hour, name, cheapest)
			}
		}
		optimized := r.Databases["aurora-postgresql-io-optimized"].Hour
		for kind, hour := range r.Databases["aurora-postgresql"].Hour {
			if share := optimized[kind] / hour; !(share > 1.28 && share < 1.32) {
				t.Errorf("%s in %s: $%g for Aurora Standard, $%g for I/O-Optimized", kind, name, hour, optimized[kind])
			}
		}
	}
}

// TestTodaysSources: a known price has a source, an unknown one cites none.
func TestTodaysSources(t *testing.T) {
	b := today(t)
	check := func(where string, volumes map[string]Volume) {
		for name, v := range volumes {
			known := v.GB.Known() || v.MillionIOs != nil && v.MillionIOs.Known()
			for _, tier := range slices.Concat(v.IOPS, v.Throughput) {
				known = known || tier.Price.Known()
			}
			if known == (v.Source == "none") {
				t.Errorf("%s %s: has a price: %t, cites %q", where, name, known, v.Source)
			}
		}
	}
	for name, r := range b.Regions {
		check(name, r.Volumes)
		for service, d := range r.Databases {
			check(name+" "+service, d.Volumes)
			if d.ACUHour != nil && d.ACUHour.Known() == (d.Source == "none") {
				t.Errorf("%s %s: an ACU-hour of %g cites %q", name, service, *d.ACUHour, d.Source)
			}
		}
	}
}
