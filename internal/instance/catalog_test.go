package instance

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/unit"
)

func TestDataIsValid(t *testing.T) {
	all, err := catalog()
	if err != nil {
		t.Fatal(err)
	}
	var families []string
	for _, i := range all {
		families = append(families, i.Family())
	}
	families = slices.Compact(families)
	const want = "c5 c5d c5n c6g c6gd c6gn c6i c6id c7a c7g c7gd c7gn c7i c8g d3 d3en i3 i3en i4g i4i i7ie i8g im4gn is4gen " +
		"m5 m5d m5n m6a m6g m6gd m6i m6id m7a m7g m7gd m7i m8g r5 r5b r5d r5n r6a r6g r6gd r6i r6id r7a r7g r7gd r7i r7iz r8g " +
		"t2 t3 t3a t4g x2gd x2idn x2iedn z1d"
	if got := strings.Join(families, " "); got != want {
		t.Errorf("the families are\n%s, not\n%s", got, want)
	}
}

// TestPublishedFigures compares types with what AWS publishes: vCPUs, memory and drives from "Amazon
// EC2 Instance Types", EBS from "Amazon EBS-optimized instance types", the network from "Amazon EC2
// instance types" (as of 2026).
func TestPublishedFigures(t *testing.T) {
	limits := func(baseline, maximum int, baselineIOPS, maximumIOPS float64) EBS {
		of := func(megabits int, iops float64) Ceiling {
			return Ceiling{Bandwidth: megabits, Throughput: unit.Rate(float64(megabits) * 125e3), IOPS: iops}
		}
		return EBS{of(baseline, baselineIOPS), of(maximum, maximumIOPS)}
	}
	nvme := func(n int, gigabytes float64) Drives {
		return Drives{Number: n, Size: unit.Size(gigabytes * 1e9), NVMe: true}
	}
	for _, want := range []Instance{
		{Type: "m6i.large", VCPUs: 2, Memory: 8 * unit.GiB, Architecture: "x86_64", EBS: limits(650, 10000, 3600, 40000), Network: Network{781, 12500}},
		{Type: "r6i.xlarge", VCPUs: 4, Memory: 32 * unit.GiB, Architecture: "x86_64", EBS: limits(1250, 10000, 6000, 40000), Network: Network{1562, 12500}},
		{Type: "m7g.large", VCPUs: 2, Memory: 8 * unit.GiB, Architecture: "arm64", EBS: limits(630, 10000, 3600, 40000), Network: Network{937, 12500}},
		{Type: "c7g.2xlarge", VCPUs: 8, Memory: 16 * unit.GiB, Architecture: "arm64", EBS: limits(2500, 10000, 12000, 40000), Network: Network{3750, 15000}},
		{Type: "c6g.12xlarge", VCPUs: 48, Memory: 96 * unit.GiB, Architecture: "arm64", EBS: limits(14250, 14250, 50000, 50000), Network: Network{20000, 20000}},
		{Type: "t3.large", VCPUs: 2, Memory: 8 * unit.GiB, Architecture: "x86_64", EBS: limits(695, 2780, 4000, 15700), Network: Network{512, 5000}},
		{Type: "t4g.nano", VCPUs: 2, Memory: unit.GiB / 2, Architecture: "arm64", EBS: limits(43, 2085, 250, 11800), Network: Network{32, 5000}},
		{Type: "t2.micro", VCPUs: 1, Memory: unit.GiB, Architecture: "x86_64"},
		{Type: "i3en.xlarge", VCPUs: 4, Memory: 32 * unit.GiB, Architecture: "x86_64", EBS: limits(1153, 4750, 6000, 20000), Network: Network{4200, 25000}, Drives: nvme(1, 2500)},
		{Type: "i4i.4xlarge", VCPUs: 16, Memory: 128 * unit.GiB, Architecture: "x86_64", EBS: limits(5000, 10000, 20000, 40000), Network: Network{9375, 25000}, Drives: nvme(1, 3750)},
		{Type: "m6id.metal", VCPUs: 128, Memory: 512 * unit.GiB, Architecture: "x86_64", EBS: limits(40000, 40000, 160000, 160000), Network: Network{50000, 50000}, Drives: nvme(4, 1900)},
		{Type: "d3.xlarge", VCPUs: 4, Memory: 32 * unit.GiB, Architecture: "x86_64", EBS: limits(850, 2800, 5000, 15000), Network: Network{3000, 15000}, Drives: Drives{3, 1980e9, true, true}},
	} {
		got, err := Find(want.Type)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Name != want.Type || got.Processor == "" || got.Managed() {
			t.Errorf("%+v", got)
		}
		got.Name, got.Processor, got.Credits, got.CoreMark, got.NUMANodes = "", "", nil, 0, 0
		if got != want {
			t.Errorf("%s: got\n%+v, want\n%+v", want.Type, got, want)
		}
	}
}

// TestEveryTypeIsPossible checks each line of the data for contradictions.
func TestEveryTypeIsPossible(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range Catalog() {
		if seen[i.Name] || i.Name != i.Type || strings.Count(i.Name, ".") != 1 {
			t.Errorf("%s: the name occurs twice, or is none", i.Name)
		}
		seen[i.Name] = true
		if i.VCPUs < 1 || i.VCPUs > 192 || i.Memory < unit.GiB/2 || i.Memory > 4096*unit.GiB {
			t.Errorf("%s: %d vCPUs, %s", i.Name, i.VCPUs, i.Memory)
		}
		if graviton := strings.Contains(i.Processor, "Graviton"); graviton != (i.Architecture == "arm64") || !graviton && i.Architecture != "x86_64" {
			t.Errorf("%s: a %s with %s", i.Name, i.Processor, i.Architecture)
		}
		if e := i.EBS; e.Maximum.Bandwidth < e.Baseline.Bandwidth || e.Maximum.Throughput < e.Baseline.Throughput || e.Maximum.IOPS < e.Baseline.IOPS {
			t.Errorf("%s: the baseline of EBS is above the maximum: %+v", i.Name, e)
		}
		for _, c := range []Ceiling{i.EBS.Baseline, i.EBS.Maximum} {
			if known := c.Bandwidth > 0; known != (c.IOPS > 0) || known != (c.Throughput > 0) || known == (i.Family() == "t2") {
				t.Errorf("%s: incomplete limits of EBS: %+v", i.Name, c)
			}
		}
		if n := i.Network; n.Maximum < n.Baseline || (n.Baseline > 0) != (n.Maximum > 0) || (n.Maximum == 0) != (i.Family() == "t2") {
			t.Errorf("%s: network %+v", i.Name, n)
		}
		if d := i.Drives; (d.Number > 0) != (d.Size > 0) || d.Disk != strings.HasPrefix(i.Name, "d3") || d.Number > 24 {
			t.Errorf("%s: drives %+v", i.Name, d)
		}
		if burstable := strings.HasPrefix(i.Name, "t"); burstable != (i.Credits != nil) {
			t.Errorf("%s: credits %+v", i.Name, i.Credits)
		}
		if (i.CoreMark > 0) != (i.NUMANodes > 0) || i.NUMANodes > 4 {
			t.Errorf("%s: CoreMark %g, %d NUMA nodes", i.Name, i.CoreMark, i.NUMANodes)
		}
		// The slowest is a burstable Xeon, the fastest a Graviton4.
		if each := i.CoreMark / float64(i.VCPUs); i.CoreMark > 0 && (each < 5000 || each > 40000) {
			t.Errorf("%s: CoreMark of %g on each vCPU", i.Name, each)
		}
	}
	if n := len(seen); n < 500 {
		t.Errorf("only %d types", n)
	}
}

// TestMeasured checks the columns that were merged from another source.
func TestMeasured(t *testing.T) {
	measured := 0
	for _, i := range Catalog() {
		if i.CoreMark > 0 {
			measured++
		}
	}
	if measured != 234 {
		t.Errorf("%d types have a CoreMark result", measured)
	}
	i, err := Find("c6i.24xlarge")
	if err != nil || i.CoreMark != 1618546 || i.NUMANodes != 2 {
		t.Errorf("%+v, %v", i, err)
	}
}

// TestCatalogIsNotShared: a caller that changes an instance changes a copy.
func TestCatalogIsNotShared(t *testing.T) {
	for _, of := range []func() Instance{
		func() Instance { i, _ := Find("t3.large"); return i },
		func() Instance { return InFamily("t3")[4] },
	} {
		i := of()
		i.Credits.PerHour = 1
		if of().Name != "t3.large" || of().Credits.PerHour != 36 {
			t.Errorf("it is shared: %+v", of())
		}
	}
	if got := InFamily("m4"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
