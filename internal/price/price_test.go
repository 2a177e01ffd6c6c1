package price

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestBooks: the books of the program are valid, and today's has the prices that the others are compared
// with.
func TestBooks(t *testing.T) {
	all, err := books()
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range all {
		text, err := Text(name)
		if err != nil || len(text) == 0 || b.Hours == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
}

// tariff is that of Amazon EBS in us-east-1.
const tariff = `
schema: plinth/prices/v1
name: test
date: 2026-11-01
currency: USD
sources: {ebs: {title: EBS}}
regions:
  us-east-1:
    instances: {source: ebs, hour: {c7g.2xlarge: 0.289, m6i.large: unknown, m6i.xlarge: 0.192}}
    terms: {spot: {source: ebs, discount: 0.7}, reserved-1y: {source: ebs, hour: {c7g.2xlarge: 0.19}}}
    volumes:
      gp3: {source: ebs, gb: 0.08, iops: [{above: 3000, price: 0.005}], throughput: [{above: 125, price: 0.04}]}
      io1: {source: ebs, gb: 0.125, iops: [{above: 0, price: 0.065}]}
      io2: {source: ebs, gb: 0.125, iops: [{above: 0, price: 0.065}, {above: 32000, price: 0.0455}, {above: 64000, price: 0.032}]}
      cluster: {source: ebs, gb: 0.10, million_ios: 0.20}
    databases:
      rds-postgresql:
        source: ebs
        volumes:
          gp3: {source: ebs, gb: 0.115, iops: [{above: 3000, price: 0.02}], throughput: [{above: 125, price: 0.08}], included: [{from_gb: 400, iops: 12000, throughput: 500}]}
`

func book(t testing.TB) (*Book, *Region) {
	t.Helper()
	b, err := Parse("test.yaml", []byte(tariff))
	if err != nil {
		t.Fatal(err)
	}
	return b, b.Regions["us-east-1"]
}

func month(items []Item) float64 { return float64(Bill{Items: items}.Month()) }

// TestVolumes compares bills with values calculated by hand, on both sides of each tier.
func TestVolumes(t *testing.T) {
	b, r := book(t)
	for name, test := range map[string]struct {
		volume Volume
		size   Size
		want   float64 // NaN: unknown
	}{
		"gp3 at its baseline":          {r.Volumes["gp3"], Size{GB: 500}, 40},
		"gp3 with included IOPS":       {r.Volumes["gp3"], Size{GB: 500, IOPS: 3000, Throughput: 125}, 40},
		"one more":                     {r.Volumes["gp3"], Size{GB: 500, IOPS: 3001, Throughput: 126}, 40.045},
		"the published example":        {r.Volumes["gp3"], Size{GB: 500, IOPS: 6000, Throughput: 250}, 60},
		"eight of them":                {r.Volumes["gp3"], Size{Count: 8, GB: 50}, 32},
		"a part of a gigabyte":         {r.Volumes["gp3"], Size{GB: 465.2}, 466 * 0.08},
		"io1, whose IOPS are not free": {r.Volumes["io1"], Size{GB: 500, IOPS: 20000}, 62.5 + 1300},
		"io2 below the second tier":    {r.Volumes["io2"], Size{GB: 660, IOPS: 20000}, 1382.50},
		"io2 at the second tier":       {r.Volumes["io2"], Size{GB: 500, IOPS: 32000}, 62.5 + 2080},
		"io2 above it":                 {r.Volumes["io2"], Size{GB: 500, IOPS: 32001}, 62.5 + 2080 + 0.0455},
		"io2 at the third tier":        {r.Volumes["io2"], Size{GB: 500, IOPS: 64000}, 3598.50},
		"io2 above that":               {r.Volumes["io2"], Size{GB: 500, IOPS: 64001}, 3598.50 + 0.032},
		"io2 without its IOPS":         {r.Volumes["io2"], Size{GB: 500}, math.NaN()},
		"a volume of unknown size":     {r.Volumes["gp3"], Size{}, math.NaN()},
		"RDS gp3 below 400 GB":         {r.Databases["rds-postgresql"].Volumes["gp3"], Size{GB: 399, IOPS: 3000}, 399 * 0.115},
		"RDS gp3 from 400 GB":          {r.Databases["rds-postgresql"].Volumes["gp3"], Size{GB: 400, IOPS: 12000, Throughput: 500}, 46},
		"RDS gp3 with more":            {r.Databases["rds-postgresql"].Volumes["gp3"], Size{GB: 400, IOPS: 12001, Throughput: 501}, 46.1},
		"Aurora with its I/Os":         {r.Volumes["cluster"], Size{GB: 100, IOs: 50e6}, 20},
		"Aurora without their number":  {r.Volumes["cluster"], Size{GB: 100}, math.NaN()},
	} {
		if got := month(test.volume.Items(b, test.size)); math.Abs(got-test.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// TestMonotone: more of anything never costs less; and splitting a volume costs as much, unless the
// tariff includes something with each.
func TestMonotone(t *testing.T) {
	b, r := book(t)
	rapid.Check(t, func(t *rapid.T) {
		v := r.Volumes[rapid.SampledFrom([]string{"gp3", "io1", "io2"}).Draw(t, "type")]
		if rapid.Bool().Draw(t, "RDS") {
			v = r.Databases["rds-postgresql"].Volumes["gp3"]
		}
		draw := func(name string) float64 { return float64(rapid.IntRange(1, 100_000).Draw(t, name)) }
		less := Size{GB: draw("GB"), IOPS: draw("IOPS"), Throughput: draw("MiB/s")}
		more := less
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			if len(v.Included) > 0 { // from a size on, RDS includes IOPS
				more.IOPS = less.IOPS + draw("more")
			} else {
				more.GB += draw("more")
			}
		case 1:
			more.IOPS += draw("more")
		case 2:
			more.Throughput += draw("more")
		}
		if a, b := month(v.Items(b, less)), month(v.Items(b, more)); b < a-1e-9 {
			t.Fatalf("%+v costs %g, %+v %g", less, a, more, b)
		}
		halves := Size{Count: 2, GB: less.GB, IOPS: less.IOPS, Throughput: less.Throughput}
		whole := Size{GB: 2 * less.GB, IOPS: 2 * less.IOPS, Throughput: 2 * less.Throughput}
		if a, b := month(v.Items(b, whole)), month(v.Items(b, halves)); len(v.IOPS) == 1 && v.IOPS[0].Above == 0 && math.Abs(a-b) > 1e-6 {
			t.Fatalf("a volume costs %g, its halves %g", a, b)
		}
	})
}

func TestInstances(t *testing.T) {
	b, r := book(t)
	for _, test := range []struct {
		kind, term string
		count      int
		want       float64
	}{
		{"c7g.2xlarge", "", 1, 0.289 * 730},
		{"c7g.2xlarge", "on-demand", 2, 0.289 * 1460},
		{"c7g.2xlarge", "spot", 0, 0.289 * 730 * 0.3},
		{"m6i.large", "", 1, math.NaN()},
		{"t3.large", "spot", 1, math.NaN()},
		{"c7g.2xlarge", "reserved-1y", 1, 0.19 * 730},
		{"m6i.xlarge", "reserved-1y", 1, math.NaN()}, // not its price on demand
	} {
		i, err := b.Instance(r, test.kind, test.term, test.count)
		if got := float64(i.Month); err != nil || math.Abs(got-test.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%s %s: %g, want %g (%v)", test.kind, test.term, got, test.want, err)
		}
	}
	if _, err := b.Instance(r, "c7g.2xlarge", "spto", 1); err == nil {
		t.Error("a term that the book does not have")
	}
}

// TestCaseStudy: the bills of the publication, with its own prices and hours.
func TestCaseStudy(t *testing.T) {
	b, err := Find("oltp-case-study")
	if err != nil {
		t.Fatal(err)
	}
	r := b.Regions["us-west-2"]
	gp3 := r.Volumes["gp3"]
	volumes := append(gp3.Items(b, Size{Count: 8, GB: 50}), gp3.Items(b, Size{Count: 8, GB: 30})...)
	for term, want := range map[string]float64{"": 249.04, "spot": 103.60} {
		i, err := b.Instance(r, "c7g.2xlarge", term, 1)
		if got := month(append(volumes[:len(volumes):len(volumes)], i)); err != nil || math.Abs(got-want) > 0.005 {
			t.Errorf("%q: %g, want %g (%v)", term, got, want, err)
		}
	}
}

func TestAmounts(t *testing.T) {
	for want, f := range map[string]Amount{"$249.04": 249.04, "$1,234,567.00": 1234567, "$0.084": 0.084, "$0.00840": 0.0084, "$0.00": 0, "-$12.50": -12.5, "unknown": Unknown} {
		if got := f.In("USD"); got != want {
			t.Errorf("%g is %s, want %s", float64(f), got, want)
		}
	}
	if got := Amount(12).In("EUR"); got != "12.00 EUR" {
		t.Error(got)
	}
}
