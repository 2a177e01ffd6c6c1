package inspect

import (
	"testing"
	"time"

	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/host"
)

// ofARedis replaces PostgreSQL by a Redis without findings, on a suitable machine, and then
// applies changes. It does not report appendfsync, which always causes a finding.
func ofARedis(changes ...func(*Input)) func(*Input) {
	return func(in *Input) {
		in.Server = nil
		in.Redis = &redisexamine.Facts{
			Program: "redis", Version: "7.2.4", VersionN: 70204, Started: in.Now.Add(-48 * time.Hour),
			Info: map[string]string{
				"role": "master", "connected_slaves": "0", "connected_clients": "12", "master_repl_offset": "1000000000",
				"used_memory": "4294967296", "used_memory_rss": "4509715660", "mem_fragmentation_ratio": "1.05",
				"aof_last_write_status": "ok", "aof_last_bgrewrite_status": "ok", "rdb_last_bgsave_status": "ok",
				"aof_delayed_fsync": "0", "latest_fork_usec": "30000", "evicted_keys": "0",
				"aof_current_size": "1073741824", "cmdstat_get": "calls=7,usec=70,usec_per_call=10.00",
			},
			Settings: map[string]string{
				"appendonly": "yes", "save": "", "auto-aof-rewrite-percentage": "100", "no-appendfsync-on-rewrite": "no",
				"stop-writes-on-bgsave-error": "yes", "maxmemory": "8589934592", "maxmemory-policy": "noeviction", "maxclients": "10000",
				"bind": "127.0.0.1 -::1", "port": "6379", "protected-mode": "yes", "tcp-backlog": "511", "disable-thp": "yes",
				"latency-monitor-threshold": "100", "repl-backlog-size": "67108864", "slowlog-log-slower-than": "10000",
			},
		}
		in.Files = 65536
		sysctl("vm.overcommit_memory", "1")(in)
		sysctl("net.core.somaxconn", "4096")(in)
		for _, change := range changes {
			change(in)
		}
	}
}

func config(name, value string) func(*Input) {
	return func(in *Input) { in.Redis.Settings[name] = value }
}

func info(name, value string) func(*Input) {
	return func(in *Input) { in.Redis.Info[name] = value }
}

func openToAll(is bool) func(*Input) { return func(in *Input) { in.Redis.Open = &is } }

// swap is a machine with swap space.
var swap = machine(func(m *host.Inventory) { m.Memory.SwapTotal = 1 << 30 })

func latency(latest int64, age time.Duration) func(*Input) {
	return func(in *Input) {
		in.Redis.Latency = []redisexamine.LatencyEvent{{Name: "fork", At: in.Now.Add(-age), Latest: latest, Most: 400}}
	}
}

var redisTests = []ruleTest{
	{"redis-aof-failed", ofARedis(info("aof_last_write_status", "err")), "the last write to the append-only file failed (aof_last_write_status)", "free space",
		ofARedis(info("aof_last_write_status", "err"), info("aof_enabled", "0"), config("appendonly", "no"), config("save", "60 1")), nil},
	{"redis-save-failed", ofARedis(info("rdb_last_bgsave_status", "err"), config("save", "60 1")), "the last RDB save failed, so writes are refused (rdb_last_bgsave_status)", "BGSAVE",
		ofARedis(func(in *Input) { in.Redis.Info = nil }), nil},
	{"redis-save-failed", ofARedis(info("rdb_last_bgsave_status", "err")), "the last RDB save failed (rdb_last_bgsave_status)", "",
		ofARedis(), nil},
	{"redis-save-failed", ofARedis(info("rdb_last_bgsave_status", "err"), config("stop-writes-on-bgsave-error", "no")), "the last RDB save failed (rdb_last_bgsave_status)", "",
		ofARedis(), nil},
	{"redis-rewrite-failed", ofARedis(info("aof_last_bgrewrite_status", "err")), "the last rewrite of the append-only file failed (aof_last_bgrewrite_status)", "BGREWRITEAOF",
		ofARedis(), nil},
	{"redis-network-storage", ofARedis(config("appendfsync", "always"), data(func(p *host.Place) { p.Network, p.Filesystem, p.Source = true, "nfs4", "filer:/r" })),
		"the append-only file is on a network filesystem (nfs4, filer:/r), with appendfsync always", "redis-split-persistence",
		ofARedis(config("appendonly", "no"), data(func(p *host.Place) { p.Network = true })), []string{"redis-fsync-always"}},
	{"redis-network-storage", ofARedis(config("appendonly", "no"), config("save", "3600 1"), data(func(p *host.Place) { p.Network, p.Filesystem, p.Source = true, "nfs4", "filer:/r" })),
		"RDB snapshots are on a network filesystem (nfs4, filer:/r)", "",
		ofARedis(func(in *Input) { in.Local, in.Machine.Places[0].Network = false, true }), []string{"redis-snapshots-only"}},
	{"redis-network-storage", ofARedis(config("appendfsync", "always"), onRemote(host.Remote{Name: "sda", Protocol: "iscsi", Product: "Longhorn"})),
		"the append-only file is on network storage (sda: iSCSI, Longhorn), with appendfsync always", "redis-split-persistence",
		ofARedis(config("appendonly", "no"), onRemote(host.Remote{Name: "sda", Protocol: "iscsi"})), []string{"redis-fsync-always"}},
	{"redis-network-storage", ofARedis(config("appendfsync", "everysec"), onRemote(host.Remote{Name: "nvme0n1", Protocol: host.Cloud, Product: "Amazon EBS"})),
		"the append-only file is on network storage (nvme0n1: Amazon EBS), with appendfsync everysec", "", ofARedis(), []string{"redis-fsync-everysec"}},
	{"redis-fsync-no", ofARedis(config("appendfsync", "no")), "appendfsync is \"no\": the kernel decides when to write the append-only file to disk", "CONFIG SET appendfsync everysec; CONFIG REWRITE",
		ofARedis(config("appendfsync", "no"), config("appendonly", "no"), config("save", "60 1")), nil},
	{"redis-fsync-always", ofARedis(config("appendfsync", "always")), "appendfsync is \"always\": replies to writes wait for the disk", "everysec", ofARedis(), nil},
	{"redis-fsync-everysec", ofARedis(config("appendfsync", "everysec")), "appendfsync is everysec", "always", ofARedis(), nil},
	{"redis-auto-rewrite-off", ofARedis(config("auto-aof-rewrite-percentage", "0")),
		"the append-only file is never rewritten automatically (auto-aof-rewrite-percentage is 0); its size is 1 GiB", "CONFIG SET auto-aof-rewrite-percentage 100",
		ofARedis(config("auto-aof-rewrite-percentage", "0"), config("appendonly", "no")), nil},
	{"redis-save-errors-ignored", ofARedis(config("stop-writes-on-bgsave-error", "no"), config("save", "60 1")), "stop-writes-on-bgsave-error is \"no\"", "rdb_last_bgsave_status",
		ofARedis(config("stop-writes-on-bgsave-error", "no")), nil},
	{"redis-no-fsync-on-rewrite", ofARedis(config("no-appendfsync-on-rewrite", "yes")), "no-appendfsync-on-rewrite is \"yes\"", "CONFIG SET no-appendfsync-on-rewrite no",
		ofARedis(config("no-appendfsync-on-rewrite", "yes"), config("appendonly", "no")), nil},
	{"redis-snapshots-only", ofARedis(config("appendonly", "no"), config("save", "3600 1"), info("rdb_last_save_time", "1780271400"), info("rdb_changes_since_last_save", "4200")),
		"the server persists data only with snapshots (save 3600 1); the last was 10 min ago; changes since then: 4200", "appendonly yes",
		ofARedis(config("save", "3600 1")), nil},
	{"redis-snapshots-only", ofARedis(config("appendonly", "no"), config("save", "3600 1"), info("rdb_last_save_time", "1780099201"), info("rdb_changes_since_last_save", "7")),
		"the server persists data only with snapshots (save 3600 1); there has been none since the server started; changes since then: 7", "", ofARedis(), nil},
	{"redis-no-persistence", ofARedis(config("appendonly", "no")), "the server persists nothing: no append-only file and no RDB saves", "",
		ofARedis(func(in *Input) { in.Redis.Settings = nil }), nil},

	{"redis-fork-room", ofARedis(func(in *Input) { in.Machine.Memory.Available = 2 << 30 }), "a save or rewrite may copy up to 4.2 GiB of memory, but only 2 GiB is available", "maxmemory",
		ofARedis(config("appendonly", "no"), func(in *Input) { in.Machine.Memory.Available = 2 << 30 }), nil},
	{"redis-overcommit", ofARedis(sysctl("vm.overcommit_memory", "0")), "vm.overcommit_memory is 0, not 1", "vm.overcommit_memory=1",
		ofARedis(sysctl("vm.overcommit_memory", "0"), func(in *Input) { in.Local = false }), nil},
	{"redis-thp", ofARedis(config("disable-thp", "no"), machine(func(m *host.Inventory) { m.Memory.THP = "always" })), "transparent huge pages are on (always), including for the server", "disable-thp",
		ofARedis(machine(func(m *host.Inventory) { m.Memory.THP = "always" })), nil},
	{"redis-slow-fork", ofARedis(info("latest_fork_usec", "450000")), "the last fork took 450 ms (latest_fork_usec), 107 ms per GiB", "replica", ofARedis(), nil},

	{"redis-swapped", ofARedis(swap, info("used_memory_rss", "1073741824"), info("mem_fragmentation_ratio", "0.25")),
		"only 1 GiB of the server's 4 GiB is in memory: the rest is swapped out (mem_fragmentation_ratio below 1)", "maxmemory",
		ofARedis(swap, info("used_memory", "1048576"), info("used_memory_rss", "524288")), nil},
	{"redis-swapped", ofARedis(swap, info("used_memory_rss", "1073741824"), info("mem_fragmentation_ratio", "0.25")),
		"only 1 GiB of the server's 4 GiB is in memory: the rest is swapped out (mem_fragmentation_ratio below 1)", "",
		ofARedis(info("used_memory_rss", "1073741824"), info("mem_fragmentation_ratio", "0.25")), nil},
	{"redis-eviction", ofARedis(config("maxmemory-policy", "allkeys-lru"), info("evicted_keys", "12000000")),
		"persistence is on, but the server evicts keys when it uses 8 GiB of memory (maxmemory-policy allkeys-lru); evicted so far: 12 million", "noeviction",
		ofARedis(config("maxmemory-policy", "volatile-lru")), nil},
	{"redis-eviction", ofARedis(config("maxmemory-policy", "allkeys-lru"), info("role", "slave"), config("replica-ignore-maxmemory", "no")),
		"persistence is on, but the server evicts keys when it uses 8 GiB of memory (maxmemory-policy allkeys-lru)", "",
		ofARedis(config("maxmemory-policy", "allkeys-lru"), info("role", "slave"), config("replica-ignore-maxmemory", "yes")), []string{"redis-replica"}},
	{"redis-maxmemory-none", ofARedis(config("maxmemory", "0")), "the server has no memory limit (maxmemory is 0)", "set maxmemory",
		ofARedis(config("maxmemory", "0"), info("role", "slave")), nil},
	{"redis-fragmentation", ofARedis(info("mem_fragmentation_ratio", "2.31"), info("allocator_frag_ratio", "1.80"), info("allocator_frag_bytes", "3435973836")),
		"the server's resident memory is 2.3 times the 4 GiB that it allocated (mem_fragmentation_ratio)", "CONFIG SET activedefrag yes",
		ofARedis(info("mem_fragmentation_ratio", "8.1"), info("used_memory", "1000000")), nil},
	{"redis-fragmentation", ofARedis(info("mem_fragmentation_ratio", "2.31"), info("allocator_frag_ratio", "1.05"), info("allocator_frag_bytes", "214748364")),
		"the server's resident memory is 2.3 times the 4 GiB that it allocated (mem_fragmentation_ratio)", "MEMORY PURGE", ofARedis(), nil},
	{"redis-fragmentation", ofARedis(info("mem_fragmentation_ratio", "2.31"), info("allocator_frag_ratio", "1.20"), info("allocator_frag_bytes", "858993459"),
		config("active-defrag-ignore-bytes", "1073741824")),
		"the server's resident memory is 2.3 times the 4 GiB that it allocated (mem_fragmentation_ratio)", "MEMORY PURGE", ofARedis(), nil},

	{"redis-delayed-fsync", ofARedis(info("aof_delayed_fsync", "17")), "17 syncs of the append-only file took so long that writes waited (aof_delayed_fsync)", "plinth probe", ofARedis(), nil},
	{"redis-slow-commands", ofARedis(info("cmdstat_keys", "calls=3,usec=660000,usec_per_call=220000.00"), info("cmdstat_flushall", "calls=1,usec=45000,usec_per_call=45000.00")),
		"since the server started (2 days ago) or its statistics were reset (CONFIG RESETSTAT), clients ran KEYS 3 times (mean 220.0 ms) and FLUSHALL once (mean 45.0 ms)", "SCAN",
		ofARedis(info("cmdstat_flushall", "calls=1,usec=900,usec_per_call=900.00"), info("cmdstat_flushdb", "calls=100,usec=900000,usec_per_call=9000.00")), nil},
	{"redis-latency-events", ofARedis(latency(230, time.Hour)), "events that blocked all clients: fork (230 ms; at most 400 ms since LATENCY RESET)", "LATENCY DOCTOR", ofARedis(latency(230, 30*time.Hour)), nil},
	{"redis-latency-events", ofARedis(latency(100, time.Hour)), "events that blocked all clients: fork (100 ms; at most 400 ms since LATENCY RESET)", "", ofARedis(latency(2, time.Hour)), nil},
	{"redis-slowlog", ofARedis(func(in *Input) { in.Redis.Slow = 128 }), "128 commands in the slow log (slowlog-log-slower-than 10000 µs)", "SLOWLOG GET",
		ofARedis(func(in *Input) { in.Redis.Slow = -1 }), nil},
	{"redis-latency-monitor", ofARedis(config("latency-monitor-threshold", "0")), "the latency monitor is off (latency-monitor-threshold is 0)", "CONFIG SET latency-monitor-threshold 100", ofARedis(), nil},

	{"redis-open", ofARedis(openToAll(true), config("bind", "* -::*"), config("protected-mode", "no")), "any client may log in without a password (bind * -::*, protected-mode no)", "requirepass",
		ofARedis(openToAll(true), config("bind", "*")), nil},
	{"redis-open", ofARedis(openToAll(true), config("bind", ""), config("protected-mode", "no")), "any client may log in without a password (bind *, protected-mode no)", "",
		ofARedis(openToAll(false), config("bind", "*"), config("protected-mode", "no")), nil},
	{"redis-version", ofARedis(func(in *Input) { in.Redis.Version, in.Redis.VersionN = "7.0.15", 70015 }), "the release line of Redis 7.0.15 has had no release for years", "upgrade",
		ofARedis(func(in *Input) { in.Redis.Version, in.Redis.VersionN = "6.2.20", 60220 }), nil},
	{"redis-clients", ofARedis(info("connected_clients", "9100")), "9100 clients are connected, of at most 10000 (maxclients)", "CLIENT LIST", ofARedis(), nil},
	{"redis-maxclients", ofARedis(config("maxclients", "4064"), func(in *Input) { in.Files = 4096 }), "maxclients is 4064, because the server may open only 4096 files", "LimitNOFILE",
		ofARedis(config("maxclients", "4064")), nil},
	{"redis-backlog", ofARedis(sysctl("net.core.somaxconn", "128")), "tcp-backlog is 511, but the kernel allows 128 (net.core.somaxconn)", "somaxconn=511",
		ofARedis(sysctl("net.core.somaxconn", "128"), config("port", "0")), nil},

	{"redis-empty-restart", ofARedis(config("appendonly", "no"), info("connected_slaves", "1")), "a primary without persistence has 1 replica", "promotion",
		ofARedis(info("connected_slaves", "1")), nil},
	{"redis-link-down", ofARedis(info("master_link_status", "down"), info("master_link_down_since_seconds", "300")), "the link to the primary has been down for 5 min", "masterauth",
		ofARedis(info("master_link_status", "up")), nil},
	{"redis-replica-behind", ofARedis(info("connected_slaves", "2"), info("slave0", "ip=::1,port=1,state=online,offset=999999990,lag=0"),
		info("slave1", "ip=::1,port=2,state=online,offset=900000000,lag=42")),
		"1 replica: 95.4 MiB behind, last acknowledgement 42 s ago", "client-output-buffer-limit",
		ofARedis(info("connected_slaves", "1"), info("slave0", "ip=::1,port=1,state=wait_bgsave,offset=0,lag=0")), nil},
	{"redis-replica", ofARedis(info("role", "slave"), info("master_host", "cache1"), info("master_port", "6379")), "the server is a replica of cache1:6379", "primary", ofARedis(), nil},
	{"redis-backlog-small", ofARedis(config("repl-backlog-size", "1048576"), info("connected_slaves", "1")), "replicas need a full sync after missing 1 MiB of writes (repl-backlog-size)", "64mb",
		ofARedis(config("repl-backlog-size", "1048576")), nil},
}

// TestHealthyRedis checks that a healthy Redis causes no findings, nor does one that reports
// nothing, and that no rules of PostgreSQL apply to it.
func TestHealthyRedis(t *testing.T) {
	in := healthy()
	ofARedis()(in)
	if found := Findings(*in); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	in.Redis = &redisexamine.Facts{Slow: -1}
	if found := Findings(*in); len(found) > 0 {
		t.Errorf("of a server without facts: %+v", found)
	}
}

// TestInstead checks that a rule suppresses the findings of less specific rules.
func TestInstead(t *testing.T) {
	in := healthy()
	ofARedis(data(func(p *host.Place) { p.Network, p.Filesystem, p.Source = true, "nfs4", "filer:/r" }))(in)
	found := Findings(*in)
	if len(found) != 1 || found[0].Rule != "redis-network-storage" {
		t.Errorf("found %+v", found)
	}
}
