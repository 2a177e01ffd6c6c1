package serve

import (
	"slices"
	"strings"
	"time"

	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
)

// RecordsSchema is the schema of Records.
const RecordsSchema = "plinth/records/v1"

// Records is the response of /api/records: one page of the matching records.
type Records struct {
	Schema   string   `json:"schema"`
	Store    string   `json:"store"`    // its path
	Total    int      `json:"total"`    // records in the store
	Matching int      `json:"matching"` // records that match the filter
	Engines  []string `json:"engines"`  // of all records in the store, without duplicates, sorted
	Records  []Entry  `json:"records"`  // newest first
}

// Entry is a record as the list shows it. For a damaged record only Name, Created and
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
	Answer   string           `json:"answer"` // the first sentences of its page; "" if it has none
	Words    []record.Outcome `json:"words"`  // outcomes of its verdicts, without duplicates
	Damage   string           `json:"damage,omitempty"`
	Later    bool             `json:"later,omitempty"` // the only damage is that a later version of plinth wrote it
}

// choose returns the page of a store's records, newest first, that q selects.
func choose(all []index.Entry, q query) Records {
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

func (q query) matches(e index.Entry) bool {
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

func entryOf(e index.Entry) Entry {
	words := e.Words
	if words == nil {
		words = []record.Outcome{} // in JSON a list, never null
	}
	return Entry{
		Name: e.Name, Question: e.Question, Engine: e.Engine, State: e.State, Created: e.Created, Finished: e.Finished,
		Planned: e.Planned, Counts: e.Counts, Answer: answerOf(e), Words: words, Damage: e.Damage, Later: e.Later,
	}
}

// answerOf returns the first sentences of a record's page: the loss of acknowledged
// transactions, and the verdicts. It returns "" while the experiment runs, or if there is neither.
func answerOf(e index.Entry) string {
	sentences := durability.Losses(e.Durability)
	if e.Plan == nil {
		return strings.Join(sentences, " ")
	}
	if answer := compare.AnswerOf(e.Engine, *e.Plan, e.Verdicts); answer != "" {
		sentences = append(sentences, answer)
	}
	return strings.Join(sentences, " ")
}
