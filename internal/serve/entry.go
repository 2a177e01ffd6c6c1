package serve

import (
	"slices"
	"strings"
	"time"

	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
)

// RecordsSchema is the schema of Records.
const RecordsSchema = "plinth/records/v1"

// Records is the answer of /api/records: one part of the records that match.
type Records struct {
	Schema   string   `json:"schema"`
	Store    string   `json:"store"`    // its path
	Total    int      `json:"total"`    // records in the store
	Matching int      `json:"matching"` // the filter
	Engines  []string `json:"engines"`  // of all records, each once
	Records  []Entry  `json:"records"`  // newest first
}

// Entry is a record as the list shows it. Of a damaged one only Name, Created and
// Damage are known.
type Entry struct {
	Name     string           `json:"name"` // of its directory
	Question string           `json:"question"`
	Engine   string           `json:"engine"`
	State    record.State     `json:"state,omitempty"`
	Created  time.Time        `json:"created"`
	Finished time.Time        `json:"finished,omitzero"`
	Planned  int              `json:"planned_runs"`
	Counts   record.Counts    `json:"counts"`
	Answer   string           `json:"answer"` // as its page begins, "" where there is none
	Words    []record.Outcome `json:"words"`  // of its verdicts, each once
	Damage   string           `json:"damage,omitempty"`
}

// choose is the part of a store's records, newest first, that q asks for.
func choose(all []record.Entry, q query) Records {
	result := Records{Schema: RecordsSchema, Total: len(all), Engines: []string{}, Records: []Entry{}}
	for _, e := range all {
		if e.Engine != "" && !slices.Contains(result.Engines, e.Engine) {
			result.Engines = append(result.Engines, e.Engine)
		}
		if !q.matches(e) {
			continue
		}
		if result.Matching >= q.offset && len(result.Records) < q.limit {
			result.Records = append(result.Records, entryOf(e))
		}
		result.Matching++
	}
	slices.Sort(result.Engines)
	return result
}

func (q query) matches(e record.Entry) bool {
	switch {
	case q.engine != "" && e.Engine != q.engine,
		q.state != "" && e.State != q.state,
		q.verdict != "" && !slices.Contains(e.Words, q.verdict),
		!q.since.IsZero() && e.Created.Before(q.since),
		!q.until.IsZero() && !e.Created.Before(q.until):
		return false
	}
	text := strings.ToLower(e.Question + " " + e.Name)
	return !slices.ContainsFunc(q.terms, func(term string) bool { return !strings.Contains(text, term) })
}

func entryOf(e record.Entry) Entry {
	words := e.Words
	if words == nil {
		words = []record.Outcome{} // programs may count on a list
	}
	return Entry{
		Name: e.Name, Question: e.Question, Engine: e.Engine, State: e.State, Created: e.Created, Finished: e.Finished,
		Planned: e.Planned, Counts: e.Counts, Answer: answerOf(e), Words: words, Damage: e.Damage,
	}
}

// answerOf is the answer of a record as its page begins with it: what was lost of
// what had been acknowledged, and the verdicts. "" while it runs, or where there is neither.
func answerOf(e record.Entry) string {
	sentences := durability.Losses(e.Durability)
	if e.Plan == nil {
		return strings.Join(sentences, " ")
	}
	if answer := compare.AnswerOf(e.Engine, *e.Plan, e.Verdicts); answer != "" {
		sentences = append(sentences, answer)
	}
	return strings.Join(sentences, " ")
}
