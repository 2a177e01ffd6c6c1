package redis

import (
	"math"
	"strings"
)

// sample is one reading of the sections persistence and stats of INFO.
type sample struct {
	values           [lookedAt]float64 // NaN where the server lacks it
	saved, rewritten string            // result of the last save and the last rewrite: "ok", "err"
}

// The fields of a sample.
const (
	aofEnabled = iota
	aofRewriting
	rdbSaving
	aofSyncing
	aofBuffer
	aofSize
	aofBase
	aofRewrites
	aofDelayed
	rdbSaves
	copied
	copiedByRewrite
	copiedBySave
	received
	receivedFromPrimary
	forkTime
	forks
	lookedAt
)

var placeOf = map[string]int{
	"aof_enabled":                aofEnabled,
	"aof_rewrite_in_progress":    aofRewriting,
	"rdb_bgsave_in_progress":     rdbSaving,
	"aof_pending_bio_fsync":      aofSyncing,
	"aof_buffer_length":          aofBuffer,
	"aof_current_size":           aofSize,
	"aof_base_size":              aofBase,
	"aof_rewrites":               aofRewrites,
	"aof_delayed_fsync":          aofDelayed,
	"rdb_saves":                  rdbSaves,
	"current_cow_size":           copied,
	"aof_last_cow_size":          copiedByRewrite,
	"rdb_last_cow_size":          copiedBySave,
	"total_net_input_bytes":      received,
	"total_net_repl_input_bytes": receivedFromPrimary,
	"latest_fork_usec":           forkTime,
	"total_forks":                forks,
}

func (s *sample) clear() {
	for i := range s.values {
		s.values[i] = math.NaN()
	}
}

// take takes one field.
func (s *sample) take(name, value string) {
	if at, is := placeOf[name]; is {
		s.values[at] = number(value)
		return
	}
	switch {
	case name == "rdb_last_bgsave_status" && value != s.saved:
		s.saved = strings.Clone(value)
	case name == "aof_last_bgrewrite_status" && value != s.rewritten:
		s.rewritten = strings.Clone(value)
	}
}

// is reports whether a field is 1.
func (s *sample) is(field int) bool { return s.values[field] == 1 }

// input returns the bytes received from clients and, on a replica, from its primary.
func (s *sample) input() float64 {
	bytes := s.values[received]
	if from := s.values[receivedFromPrimary]; !math.IsNaN(from) {
		bytes += from
	}
	return bytes
}

// grown returns the growth of a counter since another sample; 0 where either is unknown or
// the counter was reset.
func (s *sample) grown(since *sample, field int) float64 {
	if grown := s.values[field] - since.values[field]; grown > 0 {
		return grown
	}
	return 0
}

// begun returns how many rewrites or saves began since another sample. Before Redis 7.0 no
// counter exists, and one that began and ended in between is missed.
func (s *sample) begun(since *sample, counter, goes int) float64 {
	if !math.IsNaN(s.values[counter]) {
		return s.grown(since, counter)
	}
	if s.is(goes) && !since.is(goes) {
		return 1
	}
	return 0
}

// forked reports whether there was a fork. total_forks came with Redis 6.2.
func (s *sample) forked(since *sample) bool {
	if !math.IsNaN(s.values[forks]) {
		return s.grown(since, forks) > 0
	}
	return s.values[forkTime] != since.values[forkTime]
}

// replaced reports whether a rewrite of the append-only file ended since another sample:
// its size then starts from another base.
func (s *sample) replaced(since *sample) bool {
	return s.values[aofBase] != since.values[aofBase] || s.values[aofSize] < since.values[aofSize]
}
