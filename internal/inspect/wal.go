package inspect

import (
	"slices"

	"plinth/internal/engine/postgres/examine"
	"plinth/internal/unit"
)

var walRules = []rule{
	{
		name: "forced-checkpoints", weight: 48, about: ofServer, check: forcedCheckpoints,
		benchmark:  "a checkpoint writes all dirty pages, and after it the first change of every page writes the whole page to the WAL again",
		production: "the same",
	},
	{
		name: "max-wal-size", weight: 26, about: ofServer, check: maxWALSize,
		benchmark:  "a write load produces that much WAL within about a minute: the run measures checkpoints",
		production: "harmless on a server with few writes: it needs no change",
	},
	{
		name: "checkpoint-target", weight: 25, about: ofServer, check: checkpointTarget,
		benchmark:  "a checkpoint writes in a burst, then nothing: throughput comes in waves",
		production: "the same",
	},
	{
		name: "checkpoint-timeout", weight: 23, about: ofServer, check: checkpointTimeout,
		benchmark:  "a shorter run may or may not contain a checkpoint: make runs longer, or begin each with a checkpoint, as plinth run does",
		production: "a longer timeout means less WAL (fewer full pages), and a longer recovery",
	},
	{
		name: "wal-compression", weight: 12, about: ofServer, check: walCompressionOff,
		benchmark:  "compressing full pages can halve the WAL, at the cost of some CPU time: worth a comparison where the disk is the bottleneck",
		production: "the same",
	},
}

// The max_wal_size up to which it counts as small, and a larger value that is safe to recommend.
const (
	smallWAL   = unit.GiB
	roomierWAL = int64(16 * unit.GiB)
)

// forcedCheckpoints finds that most checkpoints were requested, not timed. Users and backups
// request some, so a few are normal.
func forcedCheckpoints(in *Input) evidence {
	c := in.Server.Checkpoints
	if c.Requested < 10 || c.Requested <= c.Timed {
		return nothing
	}
	s, _ := in.setting("max_wal_size")
	e := found("%d of %d checkpoints were requested early, by max_wal_size (%s), backups or CHECKPOINT", c.Requested, c.Requested+c.Timed, s.Value)
	if bytes, ok := s.Bytes(); ok && bytes >= roomierWAL {
		e.do = "find out from the server's log who requests them (log_checkpoints = on)"
		return e
	}
	return e.set(in, "max_wal_size", "16GB")
}

func maxWALSize(in *Input) evidence {
	s, known := in.setting("max_wal_size")
	bytes, ok := s.Bytes()
	if !known || !ok || bytes > int64(smallWAL) || forcedCheckpoints(in) != nothing {
		return nothing
	}
	return found("max_wal_size is %s", s.Value).set(in, "max_wal_size", "16GB")
}

func checkpointTarget(in *Input) evidence {
	s, known := in.setting("checkpoint_completion_target")
	share, ok := s.Number()
	if !known || !ok || share >= 0.8 { // the default was 0.5 up to PostgreSQL 13
		return nothing
	}
	return found("checkpoint_completion_target is %s", s.Value).set(in, "checkpoint_completion_target", "0.9")
}

func checkpointTimeout(in *Input) evidence {
	s, known := in.setting("checkpoint_timeout")
	seconds, ok := s.Seconds()
	if !known || !ok || seconds > 300 {
		return nothing
	}
	return found("checkpoint_timeout is %s", s.Value).set(in, "checkpoint_timeout", "15min")
}

func walCompressionOff(in *Input) evidence {
	if s, known := in.setting("wal_compression"); !known || s.Value != "off" {
		return nothing
	}
	e := found("wal_compression is off").set(in, "wal_compression", "on")
	if in.Server.VersionN >= 150000 {
		e.do += " (or 'lz4', which takes less CPU time, if the server was built with it)"
	}
	return e
}

var durabilityRules = []rule{
	{
		name: "fsync-off", weight: 100, about: ofServer, check: fsyncOff,
		benchmark:  "no commit waits for a disk: the results do not apply to any server in production",
		production: "a crash of the machine can destroy the whole database",
	},
	{
		name: "full-page-writes-off", weight: 96, about: ofServer, check: fullPageWritesOff,
		benchmark:  "the server writes less WAL than any safe configuration",
		production: "a block that was only half written when the machine crashed stays corrupt",
	},
	{
		name: "assertions", weight: 75, about: ofServer, check: assertions,
		benchmark:  "a debug build: its constant checks make it many times slower",
		production: "a failed assertion ends all sessions",
		do:         "install a server that was built without --enable-cassert",
	},
	{
		name: "synchronous-commit-off", weight: 35, about: ofServer, check: synchronousCommitOff,
		benchmark:  "commits do not wait for the disk: compare only with servers that do not wait either",
		production: "a crash loses the last commits, up to three times wal_writer_delay (0.6 s by default); nothing is corrupted",
	},
	{
		name: "checksums-off", weight: 31, about: ofServer, check: checksumsOff,
		benchmark:  "not comparable with servers that have checksums, which cost a little CPU time, and WAL for hint bits",
		production: "wrong data from the disk goes unnoticed",
		do:         "pg_checksums --enable, with the server stopped",
	},
}

func fsyncOff(in *Input) evidence {
	if !in.off("fsync") {
		return nothing
	}
	return found("fsync is off").set(in, "fsync", "on")
}

// fullPageWritesOff ignores ZFS, which never overwrites a block in place.
func fullPageWritesOff(in *Input) evidence {
	data, known := in.place("data")
	if !in.off("full_page_writes") || known && data.Filesystem == "zfs" {
		return nothing
	}
	return found("full_page_writes is off").set(in, "full_page_writes", "on")
}

func assertions(in *Input) evidence {
	if s, known := in.setting("debug_assertions"); !known || !s.On() {
		return nothing
	}
	return found("the server was built with assertions (debug_assertions is on)")
}

func synchronousCommitOff(in *Input) evidence {
	s, known := in.setting("synchronous_commit")
	if !known || s.Value != "off" {
		return nothing
	}
	return found("synchronous_commit is off").set(in, "synchronous_commit", "on")
}

func checksumsOff(in *Input) evidence {
	if !in.off("data_checksums") {
		return nothing
	}
	return found("data checksums are off")
}

var replicationRules = []rule{
	{
		name: "slot-retains-wal", weight: 69, about: ofServer, check: slotRetains,
		benchmark:  "pg_wal grows from run to run, in new files each time",
		production: "pg_wal grows until the disk is full, and then the server stops",
		do:         "restart its consumer, or: SELECT pg_drop_replication_slot('{}'); max_slot_wal_keep_size sets a limit",
	},
	{
		name: "standby", weight: 37, about: ofServer, check: standby,
		benchmark:  "a standby accepts no writes, and constantly replays WAL from the primary",
		production: "expected, if the server is meant to be a standby",
		do:         "use the primary for loads that write",
	},
	{
		name: "synchronous-standby", weight: 24, about: ofServer, check: synchronousStandby,
		benchmark:  "each commit waits for the network and for another machine's disk",
		production: "no action is needed if the standby is meant to be synchronous",
		do:         "for a benchmark of this disk alone: SET synchronous_commit = local in the load's sessions",
	},
}

func slotRetains(in *Input) evidence {
	i := slices.IndexFunc(in.Server.Slots, func(s examine.Slot) bool { return !s.Active && s.Retained >= int64(unit.GiB) })
	if i < 0 {
		return nothing
	}
	s := in.Server.Slots[i]
	return found("replication slot %s is inactive and retains %s of WAL", s.Name, size(s.Retained)).on(s.Name)
}

func standby(in *Input) evidence {
	if !in.Server.Standby {
		return nothing
	}
	return found("the server is a standby (in recovery)")
}

func synchronousStandby(in *Input) evidence {
	names, known := in.setting("synchronous_standby_names")
	commit, _ := in.setting("synchronous_commit")
	if !known || names.Value == "" || commit.Value == "off" || commit.Value == "local" {
		return nothing
	}
	return found("commits wait for standbys (synchronous_standby_names = %s)", names.Value)
}
