// Package placement decides which storage each table, partition and index of a PostgreSQL database
// goes to, and the WAL and temporary files: from rates of its relations, models of devices, and
// prices. It changes nothing: the result has the statements that would.
package placement

import (
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// Kinds of objects beside those of relations.
const (
	WAL  = "wal"
	Temp = "temp"
	Rest = "rest" // relations of a group that are not listed one by one
	// System is a part of the server's own catalog.
	System = "system"
	// Other is no part of the database: it takes space of a store.
	Other = "other"
)

// Range is an estimate between two bounds.
type Range struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

// Exactly returns a range without uncertainty.
func Exactly(n float64) Range { return Range{n, n, n} }

// Object is something that can be placed: a relation with files of its own, the WAL, or the
// temporary files. Rates are per second.
type Object struct {
	Name       string         `json:"name"` // "public.articles"; "wal", "temp"
	Kind       string         `json:"kind"` // of package relation, or one of the above
	Relation   relation.Name  `json:"relation,omitzero"`
	Of         *relation.Name `json:"of,omitempty"`   // the table of an index
	Root       *relation.Name `json:"root,omitempty"` // the partitioned table
	Tablespace string         `json:"tablespace,omitempty"`
	Unlogged   bool           `json:"unlogged,omitempty"`
	Size       unit.Size      `json:"size"`
	Growth     float64        `json:"growth_bytes_s"`
	// Requests are the blocks that queries need; Reads are those of them that are not in
	// shared_buffers: at most so many reach the device, because the kernel's page cache serves some.
	Requests float64 `json:"requests_s"`
	Reads    float64 `json:"reads_s"`
	// Queried are the requests without those that were needed to change rows (estimated); Changed
	// are the rows changed, of an index the entries that were added. The temperature is theirs.
	Queried float64 `json:"queried_s"`
	Changed float64 `json:"changed_s"`
	// Writes are operations that do not wait for the device's cache to be flushed. No counter of
	// the server has them by relation.
	Writes Range `json:"writes_s"`
	// Durable are writes that a commit waits for, each with a flush: of the WAL.
	Durable Range `json:"durable_writes_s,omitzero"`
	// Operation is the size of one operation.
	Operation unit.Size `json:"operation"`
	// Fixed says why the object stays where it is; "" if it can be moved.
	Fixed string `json:"fixed,omitempty"`

	Temperature Temperature `json:"temperature,omitempty"`
	AppendOnly  bool        `json:"append_only,omitempty"`
	Why         []string    `json:"why,omitempty"` // the reasons for the temperature

	Changes Changes  `json:"-"`
	members int      // partitions of the same root
	spaces  []string // of temporary files, if there are several
	future  string   // the tablespace of new partitions
}

// Changes are rows per second.
type Changes struct{ Inserted, Updated, HotUpdated, Deleted float64 }

// Workload is all objects of a database, with what is known about their rates.
type Workload struct {
	Objects []Object      `json:"objects"`
	Writes  WriteEstimate `json:"write_estimate"`
	Notes   []string      `json:"notes"` // what weakens the rates
}
