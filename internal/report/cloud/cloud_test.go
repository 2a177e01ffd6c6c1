package cloud

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plinth/internal/instance"
	"plinth/internal/prose"
)

func find(t *testing.T, name string) instance.Instance {
	t.Helper()
	i, err := instance.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestCatalogFits: the tables are not split at 80 columns, and every type has a row.
func TestCatalogFits(t *testing.T) {
	all := instance.Catalog()
	text := Catalog(all).Text(80)
	for line := range strings.Lines(text) {
		if prose.Length(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	for _, i := range all {
		want := 1
		if i.Credits != nil {
			want = 2
		}
		if n := strings.Count(text, "\n"+i.Name+" "); n != want {
			t.Errorf("%s is in %d rows", i.Name, n)
		}
	}
}

// TestCreditsAreLeftOut: no table of credits without burstable instances.
func TestCreditsAreLeftOut(t *testing.T) {
	if text := Catalog(instance.InFamily("m6i")).Text(80); strings.Contains(text, "credit") {
		t.Error(text)
	}
}

func TestLimits(t *testing.T) {
	for name, want := range map[string][]string{
		"m6i.large": {
			"EBS: 3,600 IOPS and 81.3 MB/s sustained; 40,000 IOPS and 1,250 MB/s for 30 minutes at least once in 24 hours",
			"network: 0.781 Gbit/s sustained; up to 12.5 Gbit/s on best effort, typically for 5 to 60 minutes",
		},
		"m6i.32xlarge": {
			"EBS: 160,000 IOPS and 5,000 MB/s sustained",
			"network: 50 Gbit/s sustained",
		},
		"t2.2xlarge": {
			"CPU: at full load of 8 vCPUs a full balance of 1958.4 credits lasts 295 minutes; then standard mode slows it down to 1.36 vCPUs; unlimited mode keeps its speed, but credits beyond those of 24 hours cost extra",
			"CPU: an empty balance without load is full after 24 hours",
			"CPU: at launch in standard mode it has 240 credits, which last 36 minutes at full load",
		},
	} {
		if got := limits(find(t, name)); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestThen: what follows a burst of the CPU depends on who chooses the mode.
func TestThen(t *testing.T) {
	for name, want := range map[string]string{
		"t3.large":        "then standard mode slows it down to 0.6 vCPUs; unlimited mode keeps its speed, but credits beyond those of 24 hours cost extra",
		"db.t3.large":     "then it keeps its speed, but credits beyond those of 24 hours cost extra",
		"cache.t3.medium": "then it slows down to 0.4 vCPUs",
	} {
		if got := then(*find(t, name).Credits); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestDrives(t *testing.T) {
	for name, want := range map[string]string{
		"m6i.large":     "",
		"i3en.xlarge":   "1 NVMe SSD of 2,500 GB",
		"m6id.32xlarge": "4 NVMe SSDs of 1,900 GB each",
		"d3.xlarge":     "3 NVMe hard disks of 1,980 GB each",
	} {
		if got := drives(find(t, name).Drives); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := drives(instance.Drives{Number: 1, Size: 1e12}); got != "1 SSD of 1,000 GB" {
		t.Error(got)
	}
}

func TestWrite(t *testing.T) {
	all := []instance.Instance{find(t, "db.t3.large"), find(t, "t2.micro")}
	var b strings.Builder
	if err := Write(&b, all, "csv", Options{}); err != nil {
		t.Fatal(err)
	}
	const want = "\ndb.t3.large,t3.large,database,2,8589934592,x86_64,Intel Skylake E5 2686 v5,4000,86875000,15700,347500000,512,5000,,,,,36,864,0.3,,unlimited,27293,1\n" +
		"t2.micro,t2.micro,,1,1073741824,x86_64,Intel Xeon Family,,,,,,,,,,,6,144,0.1,30,standard,,\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %s", b.String())
	}
	b.Reset()
	if err := Write(&b, all, "json", Options{}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema    string `json:"schema"`
		Instances []struct {
			Name     string  `json:"name"`
			FullLoad float64 `json:"full_load_s"`
			EBS      *struct {
				Maximum struct {
					IOPS float64 `json:"iops"`
				} `json:"maximum"`
			} `json:"ebs"`
			Figures []instance.Figure `json:"figures"`
		} `json:"instances"`
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != Schema || len(got.Instances) != 2 {
		t.Fatalf("%+v", got)
	}
	if one := got.Instances[0]; one.Name != "db.t3.large" || one.FullLoad < 37028 || one.FullLoad > 37029 || one.EBS.Maximum.IOPS != 15700 || len(one.Figures) < 5 {
		t.Errorf("%+v", one)
	}
	if two := got.Instances[1]; two.EBS != nil {
		t.Errorf("the limits of EBS of t2 are not published: %+v", two)
	}
}
