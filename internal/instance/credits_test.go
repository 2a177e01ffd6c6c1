package instance

import (
	"math"
	"testing"
)

// TestCreditTable compares the credits with the table in "Key concepts for burstable performance
// instances" and the launch credits in "Standard mode concepts for burstable instances" (AWS).
func TestCreditTable(t *testing.T) {
	for name, want := range map[string]Credits{
		"t2.nano":    {PerHour: 3, Most: 72, Baseline: 0.05, Launch: 30, Mode: Standard, VCPUs: 1},
		"t2.micro":   {PerHour: 6, Most: 144, Baseline: 0.1, Launch: 30, Mode: Standard, VCPUs: 1},
		"t2.small":   {PerHour: 12, Most: 288, Baseline: 0.2, Launch: 30, Mode: Standard, VCPUs: 1},
		"t2.medium":  {PerHour: 24, Most: 576, Baseline: 0.2, Launch: 60, Mode: Standard, VCPUs: 2},
		"t2.large":   {PerHour: 36, Most: 864, Baseline: 0.3, Launch: 60, Mode: Standard, VCPUs: 2},
		"t2.xlarge":  {PerHour: 54, Most: 1296, Baseline: 0.225, Launch: 120, Mode: Standard, VCPUs: 4},
		"t2.2xlarge": {PerHour: 81.6, Most: 1958.4, Baseline: 0.17, Launch: 240, Mode: Standard, VCPUs: 8},
		"t3.nano":    {PerHour: 6, Most: 144, Baseline: 0.05, Mode: Unlimited, VCPUs: 2},
		"t3.micro":   {PerHour: 12, Most: 288, Baseline: 0.1, Mode: Unlimited, VCPUs: 2},
		"t3a.small":  {PerHour: 24, Most: 576, Baseline: 0.2, Mode: Unlimited, VCPUs: 2},
		"t4g.medium": {PerHour: 24, Most: 576, Baseline: 0.2, Mode: Unlimited, VCPUs: 2},
		"t3.large":   {PerHour: 36, Most: 864, Baseline: 0.3, Mode: Unlimited, VCPUs: 2},
		"t3.xlarge":  {PerHour: 96, Most: 2304, Baseline: 0.4, Mode: Unlimited, VCPUs: 4},
		"t3.2xlarge": {PerHour: 192, Most: 4608, Baseline: 0.4, Mode: Unlimited, VCPUs: 8},
		// A managed service sets the mode, and publishes no launch credits.
		"db.t3.large":     {PerHour: 36, Most: 864, Baseline: 0.3, Mode: Unlimited, Fixed: true, VCPUs: 2},
		"db.t4g.micro":    {PerHour: 12, Most: 288, Baseline: 0.1, Mode: Unlimited, Fixed: true, VCPUs: 2},
		"db.t2.small":     {PerHour: 12, Most: 288, Baseline: 0.2, Mode: Standard, Fixed: true, VCPUs: 1},
		"cache.t4g.small": {PerHour: 24, Most: 576, Baseline: 0.2, Mode: Standard, Fixed: true, VCPUs: 2},
		"cache.t3.micro":  {PerHour: 12, Most: 288, Baseline: 0.1, Mode: Standard, Fixed: true, VCPUs: 2},
	} {
		i, err := Find(name)
		if err != nil || i.Credits == nil {
			t.Errorf("%s: %+v, %v", name, i, err)
			continue
		}
		got := *i.Credits
		if math.Abs(got.Most-want.Most) < 1e-9 {
			got.Most = want.Most
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// TestBaselineSpendsWhatIsEarned: AWS defines the baseline as (credits per hour / vCPUs) / 60.
func TestBaselineSpendsWhatIsEarned(t *testing.T) {
	burstable := 0
	for _, i := range Catalog() {
		c := i.Credits
		if c == nil {
			continue
		}
		burstable++
		if c.VCPUs != i.VCPUs || math.Abs(c.PerHour/float64(c.VCPUs)/60-c.Baseline) > 1e-12 {
			t.Errorf("%s: %+v", i.Name, c)
		}
	}
	if burstable != 28 {
		t.Errorf("%d types are burstable", burstable)
	}
}
