// Package meaning states what the figures of a disk mean for PostgreSQL, each under the assumptions
// that it names.
package meaning

import (
	"fmt"
	"math"

	"plinth/internal/unit"
)

// Rate is a rate per second. Low and High are its interval or range; both are 0 if it has none.
type Rate struct {
	Value, Low, High float64
}

// Figures are those of a disk. What was not measured is zero.
type Figures struct {
	Commit Rate    // durable writes of a page, one at a time
	Group  Rate    // durable writes of 64 KiB, one at a time
	Read   float64 // random reads of a page per second, one at a time
	Scan   float64 // bytes per second of sequential reads
	Reads  []Reads // random reads of a page, by depth in ascending order
	Page   int64   // the size of a page in these measurements, in bytes; 0 for that of PostgreSQL, 8 KiB
}

// Reads are how many reads per second a disk completes with a number of them in flight.
type Reads struct {
	Depth int
	IOPS  float64
}

// Statement is one thing that the figures mean.
type Statement struct {
	Rule    string  `json:"rule"` // short and stable
	Clients int     `json:"clients,omitempty"`
	Value   float64 `json:"value"`
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	Assumes string  `json:"assumes"`
}

// The rules of statements.
const (
	CommitsAlone   = "commits-alone"    // a second, by one client
	CommitsGrouped = "commits-grouped"  // a second at most, by Clients
	RandomPageCost = "random-page-cost" // random_page_cost if 90 % of random reads are cached
	ReadDepth      = "read-depth"       // concurrent reads that reach 90 % of the maximum
)

const (
	page          = 8 << 10 // bytes
	cached        = 0.9     // the share that PostgreSQL's default of 4 assumes
	nearly        = 0.9     // of the maximum
	assumesCommit = "synchronous_commit = on, wal_sync_method = fdatasync, nothing else on the disk"
	assumesGroup  = "the next group gathers during a flush, so each group holds half of the clients; a group writes up to 64 KiB"
	assumesCost   = "90 % of random reads are cached, as assumed by PostgreSQL's default of 4; one request at a time, compared with a sequential page"
	assumesDepth  = "direct reads of a page, by that many backends or through effective_io_concurrency"
)

// Of returns what figures mean; it is never nil.
func Of(f Figures) []Statement {
	all := []Statement{}
	if f.Commit.Value > 0 {
		all = append(all, Statement{Rule: CommitsAlone, Value: f.Commit.Value, Low: f.Commit.Low, High: f.Commit.High, Assumes: assumesCommit})
		all = append(all, grouped(f.Group, f.Commit)...)
	}
	all = append(all, pageCost(f)...)
	all = append(all, readDepth(f.Reads)...)
	for i := range all {
		if f.Page != 0 && f.Page != page {
			all[i].Assumes += fmt.Sprintf("; pages of 8 KiB are as fast as the %s that were measured", unit.Size(f.Page))
		}
	}
	return all
}

// grouped returns the rates of group commit: flushes of groups, one after the other. They are never below
// the rate of one client alone.
func grouped(group, alone Rate) []Statement {
	if group.Value == 0 {
		return nil
	}
	var all []Statement
	for _, clients := range []int{4, 16, 64} {
		n := float64(clients) / 2
		all = append(all, Statement{Rule: CommitsGrouped, Clients: clients, Assumes: assumesGroup,
			Value: unit.Rounded(max(n*group.Value, alone.Value)), Low: unit.Rounded(max(n*group.Low, alone.Low)), High: unit.Rounded(max(n*group.High, alone.High))})
	}
	return all
}

// pageCost returns how much more a random page costs than a sequential one.
func pageCost(f Figures) []Statement {
	if f.Read == 0 || f.Scan == 0 {
		return nil
	}
	cost := max(1, (1-cached)*f.Scan/page/f.Read)
	return []Statement{{Rule: RandomPageCost, Value: math.Round(cost*10) / 10, Assumes: assumesCost}}
}

func readDepth(reads []Reads) []Statement {
	most := 0.0
	for _, r := range reads {
		most = max(most, r.IOPS)
	}
	if len(reads) < 2 {
		return nil
	}
	for _, r := range reads {
		if r.IOPS >= nearly*most && most > 0 {
			return []Statement{{Rule: ReadDepth, Value: float64(r.Depth), Assumes: assumesDepth}}
		}
	}
	return nil
}
