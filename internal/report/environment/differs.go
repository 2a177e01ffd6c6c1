package environment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// differsUnknown stands for the differences of imported environments whose files state none.
const differsUnknown = "How the environments differ is not known: the files do not say it (plinth import --facts adds what you know)."

func anyImported(all []record.Environment) bool {
	return slices.ContainsFunc(all, func(e record.Environment) bool { return e.Kind == record.BasisImported })
}

// mostDescribed is the number of environments above which only the properties are named in which they differ.
const mostDescribed = 6

// Differs describes the differences between environments in a line, declared ones and places
// first: names such as disk and memory are not specific enough.
func Differs(all []record.Environment) string {
	if len(all) < 2 {
		return ""
	}
	t := differenceTable(all)
	if len(t.Rows) == 0 && anyImported(all) {
		return differsUnknown
	}
	if len(t.Rows) == 0 {
		return "No difference between the environments was found."
	}
	said := notedFirst(t.Rows)
	var names []string
	for _, row := range said {
		names = append(names, strings.TrimSuffix(row[0], asked))
	}
	sentences := []string{fmt.Sprintf("The %d environments differ in %s.", len(all), strings.Join(names, ", "))}
	if len(all) <= mostDescribed {
		sentences = nil
		for i, e := range all {
			var parts []string
			for j, row := range said {
				parts = append(parts, names[j]+" "+cutAtComma(row[i+1], 60))
			}
			sentences = append(sentences, e.Name+": "+strings.Join(parts, ", ")+".")
		}
	}
	if more := len(t.Rows) - len(said); more > 0 {
		sentences = append(sentences, fmt.Sprintf("%s more below.", phrase.Plural(more, "difference")))
	}
	return strings.Join(sentences, " ")
}

// notedFirst returns the few most informative differences. Undeclared ones are left to the
// table, unless there are no others.
func notedFirst(rows [][]string) [][]string {
	const most = 3
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b []string) int { return cmp.Compare(telling(a[0]), telling(b[0])) })
	said := sorted[:min(most, len(sorted))]
	if told := slices.IndexFunc(said, func(row []string) bool { return telling(row[0]) >= unranked }); told > 0 {
		said = said[:told]
	}
	return said
}

// tellings matches the names of differences, the most informative first. The first match
// counts: "neighbour on data" is a neighbour, not a place.
var tellings = []func(name string) bool{
	func(name string) bool { return name == "label" || strings.HasPrefix(name, given) },
	func(name string) bool { return strings.HasPrefix(name, "neighbour on ") },
	ending(" of the server"),
	ending(asked, " unsafe options"),
	func(name string) bool { return slices.Contains([]string{"appendonly", "appendfsync", "save"}, name) },
	ending(" acts as", " is, as declared"),
	func(name string) bool {
		return name == "server" || ending(" on", " filesystem", " mount options")(name)
	},
}

// unranked is the rank of all other differences. What a volume is made of comes last: it is long,
// and follows from the rest.
var unranked = len(tellings)

func telling(name string) int {
	if at := slices.IndexFunc(tellings, func(fits func(string) bool) bool { return fits(name) }); at >= 0 {
		return at
	}
	if ending(" made of", " size")(name) {
		return unranked + 1
	}
	return unranked
}

func ending(ends ...string) func(name string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
	}
}

// cutAtComma shortens a text after one of its parts and closes open parentheses, so that no
// number is cut: "gp3 (write 1.8 ms, ...)".
func cutAtComma(text string, n int) string {
	runes := []rune(prose.Clean(text))
	if len(runes) <= n {
		return string(runes)
	}
	end := strings.LastIndex(string(runes[:n]), ", ")
	if end <= 0 {
		return prose.Cut(text, n)
	}
	cut := string(runes)[:end] + ", ..."
	return cut + strings.Repeat(")", max(strings.Count(cut, "(")-strings.Count(cut, ")"), 0))
}

// Distinction is a property that distinguishes environments.
type Distinction struct {
	Name   string            // "wal mount options"
	Values map[string]string // by environment
}

// Distinguishing returns the few properties that best distinguish environments, for columns of a
// table: those that are declared or name a place, and are short.
func Distinguishing(all []record.Environment) []Distinction {
	const longest = 32
	rows := slices.DeleteFunc(differenceTable(all).Rows, func(row []string) bool {
		return slices.ContainsFunc(row[1:], func(value string) bool { return prose.Length(value) > longest })
	})
	var found []Distinction
	for _, row := range notedFirst(rows) {
		if telling(row[0]) >= unranked {
			continue
		}
		d := Distinction{strings.TrimPrefix(strings.TrimSuffix(row[0], asked), given), map[string]string{}}
		for i, e := range all {
			d.Values[e.Name] = prose.Clean(row[i+1])
		}
		found = append(found, d)
	}
	return found
}
