package record

import (
	"time"

	"plinth/internal/host"
)

// Environment is the content of environments/NAME.json: the system under test, as read from the
// machine and the server. It contains no secrets.
type Environment struct {
	Schema   string            `json:"schema"`
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`           // "own", "connected" or "imported"
	Server   string            `json:"server"`         // "PostgreSQL"
	Version  string            `json:"version"`        // "15.18 (Debian 15.18-0+deb12u1)"
	VersionN int               `json:"version_number"` // server_version_num: 150018
	Settings map[string]string `json:"settings"`       // settings in force: all readable rows of pg_settings, with unit
	// Declared holds the settings that the experiment file asked for: the experiment's own and
	// this environment's.
	Declared map[string]string `json:"declared,omitempty"`
	// Label and Facts describe the environment in the words of the experiment file.
	Label string            `json:"label,omitempty"`
	Facts map[string]string `json:"facts,omitempty"`
	// DataOf is the environment whose storage and data this one shared; "" for its own.
	DataOf string `json:"data_of,omitempty"`

	// At is the machine of the environment, as in the experiment file; empty for the machine that
	// plinth was started on.
	At string `json:"at,omitempty"`

	// Kubernetes describes a server that runs on Kubernetes; nil for another one.
	Kubernetes *Kubernetes `json:"kubernetes,omitempty"`

	// Instance is the cloud instance that the experiment declares; nil for none.
	Instance *Instance `json:"instance,omitempty"`

	Transport string  `json:"transport"`     // "socket", "tcp" or "tls"
	RoundTrip float64 `json:"round_trip_ns"` // median latency of an empty query
	Generator string  `json:"generator"`     // where the load generator runs: "this machine"
	Address   string  `json:"address"`       // socket directory or host:port; no user, no password
	// Elsewhere says that the server is not known to run on the machine that plinth reads, so
	// that machine's evidence does not apply to the server.
	Elsewhere  bool     `json:"elsewhere,omitempty"`
	Checkpoint bool     `json:"checkpoint"` // whether CHECKPOINT was permitted
	Volumes    []Volume `json:"volumes,omitempty"`
	Dataset    Dataset  `json:"dataset"`
	Warnings   []Note   `json:"warnings,omitempty"`
	// Limits are the resource limits of the server, where they are known; nil for none.
	Limits *Limits `json:"limits,omitempty"`
	// Pressure is the neighbour's load that runs beside it; nil for none.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Replica is the server that replicates it; nil for none.
	Replica *Replica `json:"replica,omitempty"`
	// Tuning lists what was tuned for it; nil if nothing was.
	Tuning *Tuning `json:"tuning,omitempty"`
}

// Volume is one place where a server keeps its data.
type Volume struct {
	Role       string `json:"role"` // "data", "wal", "temp" or "tablespace NAME"
	Path       string `json:"path"`
	Filesystem string `json:"filesystem"` // "ext4"
	Options    string `json:"options"`    // mount options
	Source     string `json:"source"`     // "/dev/vda"
	Size       int64  `json:"size_bytes"`
	Free       int64  `json:"free_bytes"` // before anything was loaded
	// Device is the block device directly under the filesystem, which receives the server's
	// requests: "md0". It is empty if none is visible.
	Device string `json:"device,omitempty"`
	// Disks are the physical disks underneath: "nvme0n1".
	Disks []string `json:"disks,omitempty"`
	// Remote describes what of the volume is reached over a network.
	Remote []host.Remote `json:"remote,omitempty"`
	// Made describes what plinth created for the volume, from the disk up: "RAID 10 of 4 loop
	// devices, chunk 64KiB", "xfs -s size=4096". Empty for a directory.
	Made []string `json:"made,omitempty"`
	// Unsafe lists the options that can lose acknowledged data in a power cut.
	Unsafe []string `json:"unsafe,omitempty"`
	// Emulation is set if the device is a model.
	Emulation *Emulation `json:"emulation,omitempty"`
	// Is holds the model of an existing device, if the experiment file states one.
	Is *Said `json:"is,omitempty"`
}

// Dataset describes the dataset as loaded.
type Dataset struct {
	Loaded        time.Time `json:"loaded"`
	Duration      float64   `json:"duration_s"`
	Rows          int64     `json:"rows"`
	RowsPerSecond float64   `json:"rows_per_s"`
	Bytes         int64     `json:"bytes"` // tables and indexes
	SharedBuffers int64     `json:"shared_buffers_bytes"`
	Memory        int64     `json:"memory_bytes"` // of the machine; 0 if unknown
	Tables        []Table   `json:"tables"`
	// Tablespaces lists those that hold a part of the dataset, or were created for it.
	Tablespaces []Tablespace `json:"tablespaces,omitempty"`
}

// Tablespace is a named place for tables and indexes.
type Tablespace struct {
	Name  string `json:"name"`
	Path  string `json:"path"`  // its directory on the server's machine
	Bytes int64  `json:"bytes"` // of the dataset's tables and indexes there, as loaded
}

// Table is one table or index of the dataset.
type Table struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`            // "table" or "index"
	Table string `json:"table,omitempty"` // for an index
	Rows  int64  `json:"rows,omitempty"`  // reltuples after the load's VACUUM ANALYZE
	Bytes int64  `json:"bytes"`
	// Tablespace is empty for the database's default one. Partitions may be in other tablespaces
	// than their partitioned table.
	Tablespace string `json:"tablespace,omitempty"`
}
