package instance

// Source is the source of figures. Date is its publication date, or the date as of which its
// content is known.
type Source struct {
	Title   string `json:"title"`
	Author  string `json:"author"`
	Date    string `json:"date"`
	License string `json:"license,omitempty"` // of copied data
}

// String returns the citation: "AWS, Amazon EBS-optimized instance types (as of 2026)".
func (s Source) String() string {
	text := s.Author + ", " + s.Title + " (" + s.Date
	if s.License != "" {
		text += "; " + s.License
	}
	return text + ")"
}

const amazon = "Amazon Web Services"

// The sources of the catalog. tools/instances has the versions of those that it reads.
var (
	types = Source{
		Title: "ec2instances.info, from the Go module github.com/cristim/ec2-instances-info", Author: "Garret Heaton and Vantage",
		Date: "2025-05-28", License: "MIT license",
	}
	bandwidth = Source{
		Title: "karpenter-provider-aws 1.13.1, bandwidth as in AWS's documentation", Author: "the Karpenter authors",
		Date: "2026-07-10", License: "Apache-2.0",
	}
	benchmark = Source{
		Title: "ec2instances.info, manually_fetched_data.json at 4ef36cd2c986", Author: "Vantage",
		Date: "2026-07-20", License: "MIT license",
	}
	ebsGuide     = Source{Title: "Amazon EBS-optimized instance types", Author: amazon, Date: asOf}
	networkGuide = Source{Title: "Amazon EC2 instance network bandwidth", Author: amazon, Date: asOf}
	creditGuide  = Source{Title: "Key concepts for burstable performance instances", Author: amazon, Date: asOf}
	launchGuide  = Source{Title: "Standard mode concepts for burstable instances", Author: amazon, Date: asOf}
	classGuide   = Source{Title: "Amazon RDS instance types, burstable performance", Author: amazon, Date: asOf}
	nodeGuide    = Source{Title: "ElastiCache supported node types, burstable performance", Author: amazon, Date: asOf}
)

// asOf is the date at which online documentation, which has no editions, had this content.
const asOf = "as of 2026"

// Figure gives the source of some of an instance's figures.
type Figure struct {
	Keys   []string `json:"keys"` // as in Keys
	Source Source   `json:"source"`
	Note   string   `json:"note,omitempty"`
}

// Keys returns the names of the figures that are known of i.
func (i Instance) Keys() []string {
	keys := []string{"vcpus", "memory", "architecture", "processor"}
	add := func(known bool, names ...string) {
		if known {
			keys = append(keys, names...)
		}
	}
	add(i.EBS.Known(), "ebs.baseline", "ebs.maximum")
	add(i.EBS.Known() && i.EBS.Bursts(), "ebs.burst")
	add(i.Network.Baseline > 0, "network.baseline")
	add(i.Network.Maximum > 0, "network.maximum")
	add(i.Network.Bursts(), "network.burst")
	add(i.Drives.Number > 0, "drives")
	add(i.Credits != nil, "credits.per_hour", "credits.most", "credits.baseline", "credits.mode")
	add(i.Credits != nil && i.Credits.Launch > 0, "credits.launch")
	add(i.CoreMark > 0, "coremark")
	add(i.NUMANodes > 0, "numa_nodes")
	return keys
}

// Figures returns the sources of all figures that are known of i.
func (i Instance) Figures() []Figure {
	known := map[string]bool{}
	for _, key := range i.Keys() {
		known[key] = true
	}
	var figures []Figure
	add := func(source Source, note string, keys ...string) {
		f := Figure{Source: source, Note: note}
		for _, key := range keys {
			if known[key] {
				f.Keys = append(f.Keys, key)
			}
		}
		if f.Keys != nil {
			figures = append(figures, f)
		}
	}
	add(types, "", "vcpus", "memory", "architecture", "processor", "ebs.baseline", "ebs.maximum", "network.maximum", "drives")
	add(ebsGuide, "the maximum for 30 minutes at least once every 24 hours", "ebs.burst")
	add(bandwidth, "", "network.baseline")
	add(networkGuide, "best effort, typically 5 to 60 minutes", "network.burst")
	add(creditGuide, "", "credits.per_hour", "credits.most", "credits.baseline")
	switch i.Service {
	case Database:
		add(classGuide, "t3 and t4g run in unlimited mode, t2 in standard mode", "credits.mode")
	case Cache:
		add(nodeGuide, "all run in standard mode", "credits.mode")
	default:
		add(creditGuide, "the default; it can be changed", "credits.mode")
	}
	add(launchGuide, "30 for each vCPU, to T2 in standard mode only", "credits.launch")
	add(benchmark, "one run of CoreMark on all vCPUs, in December 2025", "coremark", "numa_nodes")
	return figures
}
