package phrase

import (
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/device/meaning"
)

// DiskMeaning says what the figures of a disk mean for PostgreSQL, a line a statement, each with what it
// assumes.
func DiskMeaning(all []meaning.Statement) []string {
	var lines []string
	for _, s := range all {
		switch s.Rule {
		case meaning.CommitsGrouped: // one line for all numbers of clients
		case meaning.CommitsAlone:
			lines = append(lines, fmt.Sprintf("one client commits at most %s times a second (%s)", Count(s.Value), s.Assumes))
			lines = append(lines, grouped(all)...)
		case meaning.RandomPageCost:
			lines = append(lines, fmt.Sprintf("random_page_cost = %g (%s)", s.Value, s.Assumes))
		case meaning.ReadDepth:
			lines = append(lines, fmt.Sprintf("90 %% of the maximum read rate is reached with %.0f reads in flight (%s)", s.Value, s.Assumes))
		}
	}
	return lines
}

// grouped merges the statements about group commit.
func grouped(all []meaning.Statement) []string {
	var clients, commits []string
	assumes := ""
	for _, s := range all {
		if s.Rule == meaning.CommitsGrouped {
			clients, commits, assumes = append(clients, strconv.Itoa(s.Clients)), append(commits, Count(s.Value)), s.Assumes
		}
	}
	if clients == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s clients commit at most %s times a second, by group commit (%s)", strings.Join(clients, ", "), strings.Join(commits, ", "), assumes)}
}
