package inspect

import "plinth/internal/unit"

var walRules = []rule{
	{
		name: "forced-checkpoints", weight: 48, about: ofServer, check: forcedCheckpoints,
		benchmark:  "after each checkpoint every page goes into the WAL whole again, and the disk is busy with both",
		production: "the same",
	},
	{
		name: "max-wal-size", weight: 26, about: ofServer, check: maxWALSize,
		benchmark:  "a write load fills it within a minute or so: what is measured is checkpoints",
		production: "harmless with few writes; then nothing needs to be done",
	},
	{
		name: "checkpoint-target", weight: 25, about: ofServer, check: checkpointTarget,
		benchmark:  "a checkpoint writes in a hurry, then nothing: throughput in waves",
		production: "the same",
	},
	{
		name: "checkpoint-timeout", weight: 23, about: ofServer, check: checkpointTimeout,
		benchmark:  "a run that is shorter may have a checkpoint in it or not: make runs longer, or begin each with one, as plinth run does",
		production: "longer means less WAL (fewer full pages), and a longer recovery",
	},
	{
		name: "wal-compression", weight: 12, about: ofServer, check: walCompressionOff,
		benchmark:  "compressed full pages can take half the WAL's bytes, for some CPU time: worth a comparison where the disk is the limit",
		production: "the same",
	},
}

// What max_wal_size may be raised to without a thought, and below what it is small.
const (
	smallWAL   = unit.GiB
	roomierWAL = "16GB"
)

// forcedCheckpoints finds that most checkpoints were not due yet. Some are asked for
// by people and by backups, so a few mean nothing.
func forcedCheckpoints(in *Input) evidence {
	c := in.Server.Checkpoints
	if c.Requested < 10 || c.Requested <= c.Timed {
		return nothing
	}
	s, _ := in.setting("max_wal_size")
	return found("%d of %d checkpoints came before their time: mostly because of max_wal_size, %s",
		c.Requested, c.Requested+c.Timed, s.Value).set(in, "max_wal_size", roomierWAL)
}

func maxWALSize(in *Input) evidence {
	s, known := in.setting("max_wal_size")
	bytes, ok := s.Bytes()
	if !known || !ok || bytes > int64(smallWAL) || forcedCheckpoints(in) != nothing {
		return nothing
	}
	return found("max_wal_size is %s", s.Value).set(in, "max_wal_size", roomierWAL)
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
	method := "on"
	if in.Server.VersionN >= 150000 {
		method = "lz4"
	}
	return found("wal_compression is off").set(in, "wal_compression", method)
}
