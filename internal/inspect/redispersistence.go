package inspect

// The data that each setting can lose:
// https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ and redis.conf.
var redisPersistenceRules = []rule{
	{
		name: "redis-aof-failed", weight: 97, about: ofRedis, check: aofFailed,
		benchmark:  "writes are refused with MISCONF: nothing can be measured",
		production: "nothing can be written until space is freed or the disk is repaired",
		do:         "free space in the server's directory (dir), and check its log",
	},
	{
		name: "redis-save-failed", weight: 88, about: ofRedis, check: saveFailed,
		benchmark:  "with stop-writes-on-bgsave-error and save, each write is refused with MISCONF",
		production: "the newest snapshot is outdated; refused writes, if any, are the only warning",
		do:         "check the server's log (disk full, no memory to fork, or no permission to write in dir); then BGSAVE",
	},
	{
		name: "redis-network-storage", weight: 71, about: underIt, check: redisOnNetwork, instead: []string{"network-filesystem", "network-storage", "cloud-volume"},
		benchmark:  "each fsync of the append-only file crosses the network; writes wait if it takes over 2 s, and with appendfsync always, every time",
		production: "the same; and whether fsync makes data durable depends on the machine that stores it and, for a network filesystem, on the mount options",
		do:         "put dir on a disk of this machine and keep the copy on a replica; plinth run redis-split-persistence measures the gain",
	},
	{
		name: "redis-rewrite-failed", weight: 68, about: ofRedis, check: rewriteFailed,
		benchmark:  "the append-only file grows from run to run, and the rewrite is retried at unpredictable times",
		production: "the file grows until the disk is full, and then writes are refused",
		do:         "check the server's log (disk full, or no memory to fork); then BGREWRITEAOF",
	},
	{
		name: "redis-fsync-no", weight: 48, about: ofRedis, check: appendfsync("no", "appendfsync is \"no\": the kernel decides when to write the append-only file to disk"),
		benchmark:  "writes rarely wait for the disk, until the kernel writes everything at once",
		production: "a power failure loses what the kernel has not written yet, usually about 30 s",
		do:         configSet("appendfsync", "everysec"),
	},
	{
		name: "redis-auto-rewrite-off", weight: 47, about: ofRedis, check: autoRewriteOff,
		benchmark:  "each run begins with a longer file than the one before, and never includes a rewrite",
		production: "the file grows until the disk is full; a restart reads all of it",
		do:         configSet("auto-aof-rewrite-percentage", "100"),
	},
	{
		name: "redis-save-errors-ignored", weight: 46, about: ofRedis, check: saveErrorsIgnored,
		production: "snapshots can fail for months unnoticed",
		do:         "monitor rdb_last_bgsave_status, or, while it is ok (otherwise writes are refused at once): " + configSet("stop-writes-on-bgsave-error", "yes"),
	},
	{
		name: "redis-no-fsync-on-rewrite", weight: 44, about: ofRedis, check: noFsyncOnRewrite,
		benchmark:  "nothing is synced during a rewrite or a save, so the results omit the most expensive seconds",
		production: "a power failure during a rewrite loses up to 30 s, regardless of appendfsync",
		do:         configSet("no-appendfsync-on-rewrite", "no"),
	},
	{
		name: "redis-snapshots-only", weight: 36, about: ofRedis, check: snapshotsOnly,
		benchmark:  "writes never wait for the disk; after the configured time and number of changes, a save forks and writes everything",
		production: "a crash loses all writes since the last save",
		do:         "if that is too much to lose: " + configSet("appendonly", "yes"),
	},
	{
		name: "redis-no-persistence", weight: 33, about: ofRedis, check: noPersistence,
		benchmark:  "nothing is written to a disk: compare only with servers that write nothing either",
		production: "expected for a cache; the server is empty after a restart",
		do:         "if the data is stored nowhere else: " + configSet("appendonly", "yes"),
	},
	{
		name: "redis-fsync-always", weight: 28, about: ofRedis, check: appendfsync("always", "appendfsync is \"always\": replies to writes wait for the disk"),
		benchmark:  "the disk's flush limits the write rate; all clients wait while the server flushes",
		production: "no acknowledged write is lost, provided the disk honours flushes",
		do:         "nothing, if no write may be lost; otherwise: " + configSet("appendfsync", "everysec"),
	},
	{
		name: "redis-fsync-everysec", weight: 13, about: ofRedis, check: appendfsync("everysec", "appendfsync is everysec"),
		benchmark:  "writes wait only when a sync takes over 2 s (aof_delayed_fsync counts these)",
		production: "a power failure loses about a second of acknowledged writes, two when the disk is busy",
		do:         "nothing, if a second may be lost; otherwise: " + configSet("appendfsync", "always"),
	},
}

// aofFailed ignores a file that is no longer written: its status remains.
func aofFailed(in *Input) evidence {
	status := in.Redis.Info["aof_last_write_status"]
	if status == "" || status == "ok" || in.Redis.Info["aof_enabled"] == "0" {
		return nothing
	}
	return found("the last write to the append-only file failed (aof_last_write_status)")
}

// saveFailed says that writes are refused only if the server is to save by itself (writeCommandsDeniedByDiskError in
// src/server.c): without save, a failed BGSAVE stops none.
func saveFailed(in *Input) evidence {
	if status := in.Redis.Info["rdb_last_bgsave_status"]; status == "" || status == "ok" {
		return nothing
	}
	if _, save, _ := in.Redis.Persists(); save != "" && in.configured("stop-writes-on-bgsave-error", "yes") {
		return found("the last RDB save failed, so writes are refused (rdb_last_bgsave_status)")
	}
	return found("the last RDB save failed (rdb_last_bgsave_status)")
}

func rewriteFailed(in *Input) evidence {
	if status := in.Redis.Info["aof_last_bgrewrite_status"]; status == "" || status == "ok" {
		return nothing
	}
	return found("the last rewrite of the append-only file failed (aof_last_bgrewrite_status)")
}

// appendfsync finds a policy of a server with an append-only file.
func appendfsync(policy, text string) func(*Input) evidence {
	return func(in *Input) evidence {
		if aof, _, _ := in.Redis.Persists(); !aof || !in.configured("appendfsync", policy) {
			return nothing
		}
		return found("%s", text)
	}
}

func autoRewriteOff(in *Input) evidence {
	if aof, _, _ := in.Redis.Persists(); !aof || !in.configured("auto-aof-rewrite-percentage", "0") {
		return nothing
	}
	return found("the append-only file is never rewritten automatically (auto-aof-rewrite-percentage is 0); its size is %s", size(in.number("aof_current_size")))
}

func saveErrorsIgnored(in *Input) evidence {
	if _, save, _ := in.Redis.Persists(); save == "" || !in.configured("stop-writes-on-bgsave-error", "no") {
		return nothing
	}
	return found("stop-writes-on-bgsave-error is \"no\"")
}

func noFsyncOnRewrite(in *Input) evidence {
	if aof, _, _ := in.Redis.Persists(); !aof || !in.configured("no-appendfsync-on-rewrite", "yes") {
		return nothing
	}
	return found("no-appendfsync-on-rewrite is \"yes\"")
}

func snapshotsOnly(in *Input) evidence {
	aof, save, known := in.Redis.Persists()
	if !known || aof || save == "" {
		return nothing
	}
	e := found("the server persists data only with snapshots (save %s)", save)
	at, known := in.Redis.LastSave()
	switch {
	case !known:
		return e
	case at.IsZero():
		e.text += "; there has been none since the server started"
	default:
		e.text += "; the last was " + ago(max(0, in.Now.Sub(at).Seconds())) + " ago"
	}
	e.text += "; changes since then: " + millions(in.number("rdb_changes_since_last_save"))
	return e
}

// noPersistence applies to a server without replicas: emptyRestart covers one with replicas.
func noPersistence(in *Input) evidence {
	if aof, save, known := in.Redis.Persists(); !known || aof || save != "" || in.number("connected_slaves") > 0 {
		return nothing
	}
	return found("the server persists nothing: no append-only file and no RDB saves")
}
