package runpage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// markKind is the letter and the title of a kind of mark. If several fall into one column, the
// first in the order of markKinds is drawn.
type markKind struct {
	kind, title string
	letter      rune
}

var markKinds = []markKind{
	{"checkpoint-start", "checkpoint begins", 'C'},
	{"checkpoint-end", "checkpoint ends", 'E'},
	{"log", "server's log", 'L'},
	{"autovacuum", "autovacuum", 'V'},
	{"event-start", "event begins", 'B'},
	{"event-end", "event ends", 'D'},
	{"credits-spent", "CPU credits are spent", 'P'},
	{"restart", "server restarted", 'N'},
	{"stall", "server does not answer", 'Z'},
	{"misconf", "MISCONF begins or ends", 'M'},
	{"eviction", "keys are evicted", 'X'},
	{"aof-delayed-fsync", "delayed fsync", 'Y'},
	{"rdb-save-start", "RDB save begins", 'S'},
	{"rdb-save-end", "RDB save ends", 's'},
	{"aof-rewrite-start", "AOF rewrite begins", 'R'},
	{"aof-rewrite-end", "AOF rewrite ends", 'r'},
	{"full-resync", "full resync of a replica", 'A'},
	{"replica-down", "replica's link is down", 'd'},
	{"replica-up", "replica's link is up", 'u'},
	{"fork", "fork", 'f'},
	{"wal-segment", "WAL segment", 'w'},
}

// kindOf returns the rank and the kind of a mark. A kind of a later version gets a star and its
// name.
func kindOf(m record.Mark) (rank int, kind markKind) {
	rank = slices.IndexFunc(markKinds, func(k markKind) bool { return k.kind == m.Kind })
	if rank < 0 {
		return len(markKinds), markKind{m.Kind, prose.Clean(m.Kind), '*'}
	}
	return rank, markKinds[rank]
}

// MarkOf returns the letter of a mark and its meaning.
func MarkOf(m record.Mark) (letter, title string) {
	_, kind := kindOf(m)
	return string(kind.letter), kind.title
}

// letters returns the row of the marks in the window.
func (t timeline) letters(of int) string {
	line := []rune(strings.Repeat(" ", (len(t.seconds)+of-1)/of))
	ranks := make([]int, len(line))
	for _, m := range t.marks {
		row := rowOf(t.seconds, m.Second)
		if row < 0 {
			continue
		}
		at := row / of
		if rank, kind := kindOf(m); line[at] == ' ' || rank < ranks[at] {
			line[at], ranks[at] = kind.letter, rank
		}
	}
	return string(line)
}

// rowOf returns the row of the second at which something happened; -1 outside the window.
func rowOf(seconds []float64, at float64) int {
	row, found := slices.BinarySearch(seconds, at)
	if !found {
		row--
	}
	if row < 0 || at >= seconds[row]+1 {
		return -1
	}
	return row
}

// legend explains the letters, with the seconds of each.
func (t timeline) legend() []string {
	var lines []string
	for _, group := range byKind(t.marks) {
		var when []string
		for _, m := range group {
			if rowOf(t.seconds, m.Second) >= 0 {
				when = append(when, phrase.Exact(math.Floor(m.Second)))
			}
		}
		if len(when) > 0 {
			_, kind := kindOf(group[0])
			lines = append(lines, fmt.Sprintf("%c: %s, second %s", kind.letter, prose.Cut(kind.title, 40), phrase.SomeOf(when)))
		}
	}
	return lines
}

// byKind groups marks by kind, in drawing order.
func byKind(marks []record.Mark) [][]record.Mark {
	sorted := slices.Clone(marks)
	slices.SortStableFunc(sorted, func(a, b record.Mark) int {
		i, x := kindOf(a)
		j, y := kindOf(b)
		if i != j {
			return i - j
		}
		return strings.Compare(x.kind, y.kind)
	})
	var groups [][]record.Mark
	for i, m := range sorted {
		if i == 0 || sorted[i-1].Kind != m.Kind {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], m)
	}
	return groups
}
