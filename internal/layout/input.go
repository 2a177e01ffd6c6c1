// Package layout finds the storage of a database before there is one: from sizes, transactions a
// second, growth, a target and a budget to volumes, arrays, filesystems, mount options and settings.
// Package placement chooses; this package says what there is to choose from, and what follows.
package layout

import (
	"plinth/internal/unit"
)

// Input describes a database, the machine that it will run on, and the goal. Its yaml tags define the
// layout file.
type Input struct {
	Name string `yaml:"name" json:"name"`
	// TPS is transactions a second, ReadShare the share of them that only read.
	TPS       float64 `yaml:"tps" json:"tps"`
	ReadShare *Share  `yaml:"read_share" json:"read_share,omitempty"`
	// Size and Growth (a month) are those of the whole database, if its objects are not listed.
	Size    unit.Size         `yaml:"size" json:"size,omitempty"`
	Growth  unit.Size         `yaml:"growth" json:"growth_month,omitempty"`
	Objects map[string]Object `yaml:"objects" json:"objects,omitempty"`
	WAL     WAL               `yaml:"wal" json:"wal"`
	Temp    Temp              `yaml:"temp" json:"temp"`
	// Other lists what shares the storage and is no part of PostgreSQL, by name.
	Other    map[string]Other `yaml:"other" json:"other,omitempty"`
	Instance string           `yaml:"instance" json:"instance,omitempty"`
	// Drives are the local disks, if they are not those of the instance in the catalog.
	Drives  Drives `yaml:"drives" json:"drives,omitzero"`
	Standby string `yaml:"standby" json:"standby"` // none, async or sync
	// Months is how long the volumes must last.
	Months int `yaml:"months" json:"months"`
	// Budget is the most dollars a month for storage, Target the longest that a mean read and a
	// durable write of the WAL may take; 0 for no bound.
	Budget float64       `yaml:"budget" json:"budget_usd_month,omitempty"`
	Target unit.Duration `yaml:"target" json:"target,omitempty"`
}

// Object is a table or an index. Reads are blocks a second that are not in memory, Writes are blocks
// written a second.
type Object struct {
	Size       unit.Size `yaml:"size" json:"size"`
	Reads      float64   `yaml:"reads" json:"reads_s"`
	Writes     float64   `yaml:"writes" json:"writes_s"`
	Growth     unit.Size `yaml:"growth" json:"growth_month,omitempty"`
	Of         string    `yaml:"of" json:"of,omitempty"` // the table of an index
	AppendOnly bool      `yaml:"append_only" json:"append_only,omitempty"`
}

// WAL is the write-ahead log: Commits a second that wait for it (absent: one for each transaction that
// writes), and the Bytes of each, or the Rate of all.
type WAL struct {
	Commits float64   `yaml:"commits" json:"commits_s,omitempty"`
	Bytes   unit.Size `yaml:"bytes" json:"bytes,omitempty"`
	Rate    unit.Rate `yaml:"rate" json:"rate,omitempty"`
}

// Temp is the temporary files: their size at most, and the bytes a second that are written, each of
// which is read once.
type Temp struct {
	Size unit.Size `yaml:"size" json:"size,omitempty"`
	Rate unit.Rate `yaml:"rate" json:"rate,omitempty"`
}

// Other is something that shares the storage, such as backups. On lists the devices that it may be on:
// local for local disks, or names such as gp3; absent: gp3, st1 or sc1.
type Other struct {
	Size   unit.Size `yaml:"size" json:"size"`
	Growth unit.Size `yaml:"growth" json:"growth_month,omitempty"`
	On     []string  `yaml:"on" json:"on,omitempty"`
}

// Drives are equal local disks, of which Use bytes of each are used (absent: all).
type Drives struct {
	Number int       `yaml:"number" json:"number"`
	Size   unit.Size `yaml:"size" json:"size"`
	Use    unit.Size `yaml:"use" json:"use,omitempty"`
}

// Standbys: a copy of the database on another machine, and whether a commit waits for it.
const (
	NoStandby    = "none"
	AsyncStandby = "async"
	SyncStandby  = "sync"
)

// Local is the name of local disks in Other.On.
const Local = "local"

// Share is a share that is written in per cent: 80%.
type Share unit.Share

// UnmarshalText parses a share with unit.ParseShare.
func (s *Share) UnmarshalText(text []byte) error {
	parsed, err := unit.ParseShare(string(text))
	*s = Share(parsed)
	return err
}

// MarshalText returns the share as it is written.
func (s Share) MarshalText() ([]byte, error) { return []byte(unit.Share(s).String()), nil }

// end returns a size after the months of growth.
func (in Input) end(size, growth unit.Size) unit.Size {
	return size + growth*unit.Size(in.Months)
}

// sizes returns the size of all objects now, and their growth a month.
func (in Input) sizes() (now, growth unit.Size) {
	if len(in.Objects) == 0 {
		return in.Size, in.Growth
	}
	for _, o := range in.Objects {
		now, growth = now+o.Size, growth+o.Growth
	}
	return now, growth
}

// rated reports whether the objects have reads or writes.
func (in Input) rated() bool {
	for _, o := range in.Objects {
		if o.Reads > 0 || o.Writes > 0 {
			return true
		}
	}
	return false
}
