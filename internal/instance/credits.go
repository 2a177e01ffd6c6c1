package instance

import "strings"

// Credits are the CPU credits of a burstable type. One credit is one vCPU at 100 % for one minute.
type Credits struct {
	PerHour float64 `json:"per_hour"` // earned
	// Most is the largest balance of earned credits: those of 24 hours. Further ones are discarded.
	Most float64 `json:"most"`
	// Baseline is the share of each vCPU that spends as many credits as are earned.
	Baseline float64 `json:"baseline"`
	// Launch is the number of credits at launch in standard mode. They are spent first, and do not
	// count towards Most.
	Launch float64 `json:"launch,omitempty"`
	Mode   Mode    `json:"mode"`
	// Fixed reports that the mode cannot be changed: a managed service sets it.
	Fixed bool `json:"fixed,omitempty"`
	// VCPUs is the number of vCPUs that share the credits.
	VCPUs int `json:"vcpus"`
}

// Mode determines what happens when all credits are spent.
type Mode string

// The modes.
const (
	// Standard slows the instance down to the baseline.
	Standard Mode = "standard"
	// Unlimited never slows the instance down; credits that it spends in advance may cost extra.
	Unlimited Mode = "unlimited"
)

// sizeCredits are the credits of one size of a family.
type sizeCredits struct {
	size     string
	perHour  float64
	baseline float64 // of each vCPU
}

// The credit table of "Key concepts for burstable performance instances". Most is 24 times the
// hourly credits for each of them.
var (
	t2Credits = []sizeCredits{
		{"nano", 3, 0.05}, {"micro", 6, 0.1}, {"small", 12, 0.2}, {"medium", 24, 0.2},
		{"large", 36, 0.3}, {"xlarge", 54, 0.225}, {"2xlarge", 81.6, 0.17},
	}
	// t3Credits are those of t3, t3a and t4g.
	t3Credits = []sizeCredits{
		{"nano", 6, 0.05}, {"micro", 12, 0.1}, {"small", 24, 0.2}, {"medium", 24, 0.2},
		{"large", 36, 0.3}, {"xlarge", 96, 0.4}, {"2xlarge", 192, 0.4},
	}
)

// launchCredits is the number of credits that T2 in standard mode gets at launch, for each vCPU
// ("Standard mode concepts for burstable instances").
const launchCredits = 30

// creditsOf returns the credits of a type; nil if it is not burstable.
func creditsOf(name string, vcpus int) *Credits {
	family, size, _ := strings.Cut(name, ".")
	table, mode, launch := t3Credits, Unlimited, 0.0
	switch family {
	case "t2":
		table, mode, launch = t2Credits, Standard, launchCredits*float64(vcpus)
	case "t3", "t3a", "t4g":
	default:
		return nil
	}
	for _, c := range table {
		if c.size == size {
			return &Credits{PerHour: c.perHour, Most: 24 * c.perHour, Baseline: c.baseline, Launch: launch, Mode: mode, VCPUs: vcpus}
		}
	}
	return nil
}

// managed returns the credits as a managed service sets them: databases on t3 and t4g run in
// unlimited mode, everything else in standard mode. Launch credits are published for EC2 only.
func (c Credits) managed(by Service) *Credits {
	c.Fixed, c.Launch = true, 0
	if by == Cache {
		c.Mode = Standard
	}
	return &c
}
