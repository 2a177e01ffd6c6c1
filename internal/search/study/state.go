package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"plinth/internal/experiment/decode"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/record/files"
	"plinth/internal/search"
)

// Schema is the schema of the file of a search. A reader rejects a later one.
const Schema = "plinth/search/v1"

// The files of a search.
const (
	stateFile      = "search.json"
	experimentFile = "experiment.yaml"
	// Found is the profile that was confirmed; Candidate the one that was found, before that.
	Found     = "found.yaml"
	Candidate = "candidate.yaml"
	// Ablation is an experiment that measures what each part of the found profile does.
	Ablation = "ablation.yaml"
	// Records is the directory of the records of a search.
	Records = "records"
)

// Seconds is a duration, in seconds.
type Seconds float64

// Duration returns s as a time.Duration.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// secondsOf returns a duration in seconds.
func secondsOf(d time.Duration) Seconds { return Seconds(d.Seconds()) }

// Request says what a search was asked to do.
type Request struct {
	Source    string       `json:"source"` // the experiment: a path, or the name of a built-in one
	Sets      []string     `json:"sets,omitempty"`
	For       Seconds      `json:"for_s"`
	Objective string       `json:"objective"` // a metric
	Start     string       `json:"start"`     // the tuning where it begins
	Layers    []knob.Layer `json:"layers"`
	Restarts  bool         `json:"restarts"`
	// Refused are the risks whose levels are not tried.
	Refused []search.Risk `json:"refused_risks,omitempty"`
	Seed    uint64        `json:"seed"`
}

// State is the content of search.json.
type State struct {
	Schema string `json:"schema"`
	Request
	Engine  string    `json:"engine"`
	Version string    `json:"version"` // of plinth
	Created time.Time `json:"created"`

	Space    []search.Dimension `json:"space"`
	Excluded []Excluded         `json:"excluded,omitempty"`
	Doubted  []search.Move      `json:"doubted,omitempty"` // moves with which a server may not start
	Unfit    []Unfit            `json:"unfit,omitempty"`
	Rounds   []Round            `json:"rounds,omitempty"`
	Used     Seconds            `json:"used_s"` // of For

	Confirmation *Confirmation `json:"confirmation,omitempty"`
	// Confirmations is how many confirmations lost an environment whose server did not start.
	Confirmations int `json:"confirmations,omitempty"`
	// Notes say what weakens the search.
	Notes []string `json:"notes,omitempty"`
}

// Excluded is a level that cannot be had.
type Excluded struct {
	Dimension int    `json:"dimension"`
	Level     int    `json:"level"`
	Reason    string `json:"reason"`
}

// Unfit is advice that cannot be followed on the machine, so that nothing is compared with it.
type Unfit struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Round is a round of a search.
type Round struct {
	At        search.Point      `json:"at"` // the point where it begins
	Moves     []search.Move     `json:"moves"`
	Record    string            `json:"record,omitempty"`
	Runs      int               `json:"runs,omitempty"`      // that are valid
	Estimates []search.Estimate `json:"estimates,omitempty"` // of the moves
	Failed    string            `json:"failed,omitempty"`    // why there are none
	Foreseen  Seconds           `json:"foreseen_s"`
	Took      Seconds           `json:"took_s,omitempty"`
	Partial   bool              `json:"partial,omitempty"` // it was interrupted or ended early: Took is not that of a whole round
}

// Ended reports whether a round has ended, with a result or without.
func (r Round) Ended() bool { return r.Estimates != nil || r.Failed != "" }

// Open reads a search, to go on with it. It may have ended: see Confirmation.
func Open(dir string, machine Machine) (*Study, error) {
	s := &Study{dir: dir, machine: machine, now: time.Now}
	if err := s.read(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, experimentFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a search: %w", err)
	}
	s.base, _, err = decode.Parse(path, text, "", nil)
	return s, err
}

// Read returns the state of a search.
func Read(dir string) (State, error) {
	var state State
	return state, state.read(dir)
}

func (s *State) read(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Errorf("give the directory that plinth tune search has printed", "%s is not a search: it has no %s", dir, stateFile)
	}
	if err != nil {
		return fmt.Errorf("cannot read a search: %w", err)
	}
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("cannot read %s: %w", filepath.Join(dir, stateFile), err)
	}
	if s.Schema != Schema {
		return hint.Errorf("use a later version of plinth", "%s has the schema %q", filepath.Join(dir, stateFile), s.Schema)
	}
	return s.sound()
}

// sound finds what this plinth has not written.
func (s *State) sound() error {
	bad := func(what string) error { return fmt.Errorf("%s is damaged: %s", stateFile, what) }
	for i, d := range s.Space {
		if !s.has(i, d.Start) {
			return bad("the start of " + d.Name)
		}
	}
	for _, e := range s.Excluded {
		if !s.has(e.Dimension, e.Level) {
			return bad("an excluded level")
		}
	}
	for _, m := range s.Doubted {
		if !s.has(m.Dimension, m.To) {
			return bad("a suspected change")
		}
	}
	for i, r := range s.Rounds {
		if !s.hasRound(r) {
			return bad(fmt.Sprintf("round %d", i+1))
		}
	}
	if c := s.Confirmation; c != nil && (!s.hasPoint(c.At) || len(c.Against) == 0) {
		return bad("the confirmation")
	}
	return nil
}

// hasRound reports whether the point, the moves and the estimates of a round are possible.
func (s *State) hasRound(r Round) bool {
	for _, m := range r.Moves {
		if !s.has(m.Dimension, m.From) || !s.has(m.Dimension, m.To) {
			return false
		}
	}
	return s.hasPoint(r.At) && len(r.Moves) <= sizes[0] && (len(r.Moves) > 0 || r.Ended()) && (r.Estimates == nil || len(r.Estimates) == len(r.Moves))
}

// has reports whether a dimension has a level.
func (s *State) has(dimension, level int) bool {
	return dimension >= 0 && dimension < len(s.Space) && level >= 0 && level < len(s.Space[dimension].Levels)
}

// hasPoint reports whether a point has a level of each dimension.
func (s *State) hasPoint(at search.Point) bool {
	for i, level := range at {
		if !s.has(i, level) {
			return false
		}
	}
	return len(at) == len(s.Space)
}

// save writes the state.
func (s *Study) save() error {
	s.Used, s.saved = secondsOf(s.elapsed()), s.now()
	text, err := json.MarshalIndent(s.State, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot save the search: %w", err)
	}
	err = s.write(stateFile, append(text, '\n'))
	if err == nil && s.Saved != nil {
		err = s.Saved(s.State)
	}
	return err
}

// write replaces a file of a search as a whole, and makes it durable.
func (s *Study) write(name string, text []byte) error {
	root, err := os.OpenRoot(s.dir)
	if err == nil {
		err = errors.Join(files.Replace(root, name, text), root.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot save the search: %w", err)
	}
	return nil
}
