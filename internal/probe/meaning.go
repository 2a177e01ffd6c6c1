package probe

import "math"

// Meaning is what the figures mean for PostgreSQL, as far as it follows from them
// and from what is assumed.
type Meaning struct {
	Rule    string  `json:"rule"` // short and stable
	Clients int     `json:"clients,omitempty"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	Assumes string  `json:"assumes"`
}

// The rules of meanings.
const (
	CommitsAlone   = "commits-alone"    // a second, of one client
	CommitsGrouped = "commits-grouped"  // a second at most, of Clients
	RandomPageCost = "random-page-cost" // random_page_cost where 90 % of random reads are cached
	ReadDepth      = "read-depth"       // reads under way at which 90 % of the most are done
	cached         = 0.9                // the share that PostgreSQL's default of 4 assumes
	nearly         = 0.9                // of the most
	assumesCommit  = "synchronous_commit = on, wal_sync_method = fdatasync, nothing else on the disk"
	assumesGroup   = "while one flush is made the next group gathers, so half of the clients are in each; a group writes up to 64 KiB"
	assumesCost    = "90 % of random reads are cached, as in PostgreSQL's default of 4; one request at a time, against a sequential page"
	assumesDepth   = "direct reads of 8 KiB, from as many backends or by effective_io_concurrency"
)

// meaning is empty for what was not measured.
func meaning(r *Result) []Meaning {
	all := []Meaning{}
	if commit, ok := r.step(Commit); ok {
		f := commit.IOPS
		all = append(all, Meaning{Rule: CommitsAlone, Value: f.Value, Low: f.Low, High: f.High, Assumes: assumesCommit})
		all = append(all, grouped(r, f)...)
	}
	all = append(all, pageCost(r)...)
	return append(all, readDepth(r)...)
}

// grouped is what group commit can do: flushes of a group, one after the other. It
// is never less than one client alone.
func grouped(r *Result, alone Figure) []Meaning {
	group, ok := r.step(Group)
	if !ok || group.IOPS.Value == 0 {
		return nil
	}
	var all []Meaning
	for _, clients := range []int{4, 16, 64} {
		n, f := float64(clients)/2, group.IOPS
		all = append(all, Meaning{Rule: CommitsGrouped, Clients: clients, Assumes: assumesGroup,
			Value: rounded(max(n*f.Value, alone.Value)), Low: rounded(max(n*f.Low, alone.Low)), High: rounded(max(n*f.High, alone.High))})
	}
	return all
}

// pageCost is how much more a random page costs than a sequential one.
func pageCost(r *Result) []Meaning {
	read, ok := r.step(Read1)
	scan, okScan := r.step(ScanRead)
	if !ok || !okScan || read.IOPS.Value == 0 {
		return nil
	}
	pages := scan.Rate.Value / float64(page)
	cost := math.Max(1, (1-cached)*pages/read.IOPS.Value)
	return []Meaning{{Rule: RandomPageCost, Value: math.Round(cost*10) / 10, Assumes: assumesCost}}
}

func readDepth(r *Result) []Meaning {
	most := r.most(of("read-"))
	for _, m := range r.Steps {
		if of("read-")(m) >= nearly*most && most > 0 {
			return []Meaning{{Rule: ReadDepth, Value: float64(m.Depth), Assumes: assumesDepth}}
		}
	}
	return nil
}
