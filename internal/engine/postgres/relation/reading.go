// Package relation reads the statistics that a PostgreSQL server keeps of the tables, partitions
// and indexes of one database: sizes, reads, scans, changed rows. Two readings give rates. It
// changes nothing.
package relation

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// Schema is the schema of a reading that is stored as JSON.
const Schema = "plinth/relations/v1"

// Reading holds the statistics as they were at one time. All sizes are in bytes; counters count from Since, or from a time of their
// own that is stored beside them.
// https://www.postgresql.org/docs/current/monitoring-stats.html
type Reading struct {
	Schema string    `json:"schema"`
	Taken  time.Time `json:"taken"` // by the server's clock
	Server Server    `json:"server"`
	// Since is when the counters of relations started at zero. SinceKnown is false if the
	// database's statistics were never reset: then Since is when the server's statistics began.
	Since       time.Time    `json:"since"`
	SinceKnown  bool         `json:"since_is_reset"`
	Database    Database     `json:"database"`
	WAL         WAL          `json:"wal"`
	Writes      Writes       `json:"writes"`
	Tablespaces []Tablespace `json:"tablespaces"`
	Relations   []Relation   `json:"relations"` // those kept, in order of schema, name and OID
	// Groups sums all relations, kept or not, by partitioned table, or by schema for those that
	// are not partitions.
	Groups []Group `json:"groups"`
	// Ages are those that were asked for.
	Ages []Age `json:"ages,omitempty"`
}

// Server is the server and what the role may see there.
type Server struct {
	Version  string `json:"version"`           // "15.18 (Debian 15.18-0+deb12u1)"
	VersionN int    `json:"version_num"`       // 150018
	System   string `json:"system_identifier"` // of the cluster; "" if the role may not read it
	Standby  bool   `json:"in_recovery"`
	AllStats bool   `json:"reads_all_stats"` // pg_read_all_stats
}

// Database is the database and its counters in pg_stat_database.
type Database struct {
	OID        uint32 `json:"oid"`
	Name       string `json:"name"`
	Size       int64  `json:"size_bytes"`
	Tablespace string `json:"tablespace"` // where relations are created by default
	// TempTablespaces are where temporary files go by default; empty for Tablespace.
	TempTablespaces []string `json:"temp_tablespaces"`
	Read            int64    `json:"blocks_read"`
	Hit             int64    `json:"blocks_hit"`
	Commits         int64    `json:"commits"`
	TempBytes       int64    `json:"temp_bytes"`
	BlockSize       int64    `json:"block_size"`
}

// WAL counts the write-ahead log of all databases. Writes and Syncs are -1 where the server does
// not count them (before 14). Since is zero if the counters have no known start: then Bytes is the
// position in the log.
type WAL struct {
	Bytes  int64     `json:"bytes"`
	Writes int64     `json:"writes"`
	Syncs  int64     `json:"syncs"`
	Since  time.Time `json:"since"`
	Most   int64     `json:"max_wal_size_bytes"` // the space that it usually needs at most
}

// Writes counts the blocks of relations that the processes of the server wrote, for all databases;
// the server does not count them by relation. Up to version 15 the counts of backends are those of
// pg_stat_bgwriter, from 16 on those of pg_stat_io; both include blocks by which files grew.
type Writes struct {
	Checkpointer int64     `json:"checkpointer"`
	Background   int64     `json:"background_writer"`
	Backends     int64     `json:"backends"`
	Since        time.Time `json:"since"`
	// Checkpoints are timed and requested ones; Timeout is checkpoint_timeout, in seconds.
	Checkpoints int64 `json:"checkpoints"`
	Timeout     int64 `json:"checkpoint_timeout_s"`
}

// Tablespace is a tablespace and its directory on the server's machine; pg_default and pg_global
// have none of their own.
type Tablespace struct {
	OID      uint32 `json:"oid"`
	Name     string `json:"name"`
	Location string `json:"location,omitempty"`
}

// The kinds of relations that have files of their own.
const (
	Table     = "table"
	Partition = "partition" // a leaf
	MatView   = "materialized view"
	Index     = "index" // of a table or of a partition
)

// Name is the name of a relation.
type Name struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

// String returns the name without quotes: "public.articles".
func (n Name) String() string { return n.Schema + "." + n.Name }

// SQL returns the name quoted for a statement.
func (n Name) SQL() string { return pgx.Identifier{n.Schema, n.Name}.Sanitize() }

// Relation is a table, a partition, a materialized view or an index.
type Relation struct {
	OID  uint32 `json:"oid"`
	Kind string `json:"kind"`
	Name
	// Of is the table of an index; Root the partitioned table at the top of a partition, or of the
	// partition that an index belongs to. Parent is the table that a partition is directly of.
	Of         *Name  `json:"of,omitempty"`
	Parent     *Name  `json:"parent,omitempty"`
	Root       *Name  `json:"root,omitempty"`
	Tablespace string `json:"tablespace"`
	// Future is where new partitions of Root are created; "" without Root.
	Future   string `json:"tablespace_of_new_partitions,omitempty"`
	Unlogged bool   `json:"unlogged,omitempty"`
	// Size includes the table's toast and all forks; Toast is the part of the toast table and its
	// index. Estimated: the relation was locked, so that Size is that of its last vacuum.
	Size      int64 `json:"size_bytes"`
	Toast     int64 `json:"toast_bytes,omitempty"`
	Estimated bool  `json:"size_estimated,omitempty"`
	// Rows is the estimate of the planner; -1 if the relation was never analyzed.
	Rows float64 `json:"rows"`
	Counters
	LastSeqScan   *time.Time `json:"last_seq_scan,omitempty"`   // from 16 on
	LastIndexScan *time.Time `json:"last_index_scan,omitempty"` // from 16 on
}

// Counters count since the statistics were reset. An index has the changed rows of its table.
type Counters struct {
	// Blocks not found in shared_buffers, which the page cache of the kernel may have, and those
	// found there: of the table itself or of the index.
	Read int64 `json:"blocks_read"`
	Hit  int64 `json:"blocks_hit"`
	// The same of the toast table, and of the toast table's index.
	ToastRead      int64 `json:"toast_blocks_read,omitempty"`
	ToastHit       int64 `json:"toast_blocks_hit,omitempty"`
	ToastIndexRead int64 `json:"tidx_blocks_read,omitempty"`
	ToastIndexHit  int64 `json:"tidx_blocks_hit,omitempty"`

	SeqScans   int64 `json:"seq_scans"`
	IndexScans int64 `json:"index_scans"` // of an index, or of all indexes of a table

	Inserted   int64 `json:"rows_inserted"`
	Updated    int64 `json:"rows_updated"`
	HotUpdated int64 `json:"rows_hot_updated"` // updated without a change of any index
	Deleted    int64 `json:"rows_deleted"`
}

// Group is the sum of the relations of one partitioned table or schema that are in one tablespace:
// of the tables, or of the indexes.
type Group struct {
	Name       Name    `json:"name"`    // of the partitioned table; for a schema, Name.Name is empty
	Indexes    bool    `json:"indexes"` // of indexes rather than tables
	Tablespace string  `json:"tablespace"`
	System     bool    `json:"system"`    // the server's own catalog
	Members    int     `json:"relations"` // all of them
	Kept       int     `json:"kept"`      // those that the reading also lists one by one
	Size       int64   `json:"size_bytes"`
	Rows       float64 `json:"rows"`
	Counters
}
