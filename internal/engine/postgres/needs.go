package postgres

import (
	"fmt"
	"strconv"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// Measured with PostgreSQL 13 to 18 at default settings; times on two cores and a local disk.
const (
	pageSize     = 8192
	pageUsable   = pageSize - 24 // minus its header
	accountBytes = 132           // a row of pgbench_accounts and its line pointer
	indexEntry   = 22.6          // bytes of pgbench_accounts_pkey for each row
	rowsPerScale = 100_000
	clusterBytes = 48 * int64(unit.MiB) // initdb's files and one more database
	loadPerScale = 110 * time.Millisecond
	loadFixed    = 500 * time.Millisecond
	switchTime   = 200 * time.Millisecond // after a checkpoint: stop 25 ms, start 50 ms, and slack for a busy machine

	// Shared memory beyond shared_buffers and wal_buffers, as reported by shared_memory_size: the
	// page headers are 2 % of shared_buffers.
	sharedFixed         = 3 * int64(unit.MiB)
	sharedPerBuffer     = 0.02
	sharedPerConnection = 64 * int64(unit.KiB)
)

// Needs estimates what an environment's own server will use, before anything is created. Tables
// of the workloads' own are unknown, and not counted; a connected server uses nothing of this
// machine.
func (Kind) Needs(exp *experiment.Experiment, env experiment.Environment) (engine.Needs, error) {
	dataset := datasetBytes(exp.Dataset)
	load := loadFixed + time.Duration(exp.Dataset.Scale)*loadPerScale
	if env.Connect.Secret() != "" {
		return engine.Needs{LoadTime: load}, nil
	}
	shared, wal, err := settingNeeds(exp, env)
	if err != nil {
		return engine.Needs{}, err
	}
	return engine.Needs{
		Volumes:      volumeNeeds(exp.Dataset, env.Storage, wal),
		Memory:       shared + dataset,
		SharedMemory: shared,
		LoadTime:     load,
		SwitchTime:   switchTime,
	}, nil
}

// volumeNeeds returns the bytes needed on each volume, by its role. A quarter is added to the
// dataset for old row versions, the history, and sorting the index, which uses temporary files.
func volumeNeeds(d experiment.Dataset, storage experiment.Storage, wal int64) map[string]int64 {
	needs := map[string]int64{experiment.RoleData: clusterBytes}
	for _, part := range storage.Parts() {
		needs[part.Role] += 0 // the volume exists, if only for tables of the workloads' own
	}
	at := func(role string) string {
		if _, there := needs[role]; there {
			return role
		}
		return experiment.RoleData
	}
	tables, indexes := tableBytes(d), indexBytes(d)
	needs[at(experiment.RoleTablespace+" "+d.Tablespace)] += tables + tables/4
	needs[at(experiment.RoleTablespace+" "+d.IndexSpace)] += indexes + indexes/4
	needs[at(experiment.RoleWAL)] += wal
	if storage.Temp.There() {
		needs[experiment.RoleTemp] += indexes
	}
	return needs
}

// datasetBytes returns the size of pgbench's tables and indexes.
func datasetBytes(d experiment.Dataset) int64 { return tableBytes(d) + indexBytes(d) }

func indexBytes(d experiment.Dataset) int64 {
	return int64(float64(d.Scale) * rowsPerScale * indexEntry)
}

// tableBytes returns the size of pgbench's tables. Pages are filled up to the fill factor with
// whole rows.
func tableBytes(d experiment.Dataset) int64 {
	fill := d.Fillfactor
	if fill == 0 {
		fill = 100
	}
	perPage := max(1, (pageUsable-pageSize*(100-fill)/100)/accountBytes)
	rows := int64(d.Scale) * rowsPerScale
	return rows / int64(perPage) * pageSize
}

// settingNeeds returns the bytes of shared memory and of write-ahead log. Given time, the log
// grows to max_wal_size however small the dataset is; the additional tenth arrives during
// a checkpoint.
func settingNeeds(exp *experiment.Experiment, env experiment.Environment) (shared, wal int64, err error) {
	declared := normalised(exp.SettingsOf(env))
	memory := func(name, otherwise string, unit int64) (bytes int64) {
		value, ok := declared[name]
		if !ok {
			value = otherwise
		}
		bytes, failed := setting.Memory(value, unit)
		if failed != nil && err == nil {
			err = fmt.Errorf("environment %s: %s: %w", env.Name, name, failed)
		}
		return bytes
	}
	buffers := memory("shared_buffers", "128MB", pageSize)
	walBuffers := memory("wal_buffers", "-1", pageSize)
	wal = max(memory("max_wal_size", "1GB", int64(unit.MiB)), memory("min_wal_size", "80MB", int64(unit.MiB)))
	wal += wal/10 + memory("wal_keep_size", "0", int64(unit.MiB))
	if walBuffers < 0 {
		walBuffers = min(buffers/32, 16*int64(unit.MiB))
	}
	connections, _ := strconv.ParseInt(declared["max_connections"], 10, 64) // the server checks it
	connections = max(connections, int64(exp.EnoughConnections()))
	shared = buffers + int64(float64(buffers)*sharedPerBuffer) + walBuffers +
		sharedFixed + connections*sharedPerConnection
	return shared, wal, err
}
