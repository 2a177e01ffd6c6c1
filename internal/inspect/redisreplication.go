package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
var redisReplicationRules = []rule{
	{
		name: "redis-empty-restart", weight: 91, about: ofRedis, check: emptyRestart,
		benchmark:  "after a crash, no data is left to measure, on the primary or on its replicas",
		production: "a primary restarted by a supervisor or with its machine is empty, and its replicas copy the empty dataset: all data is lost",
		do:         "enable persistence on the primary, or disable its automatic restart (Restart=no) and rely on promotion",
	},
	{
		name: "redis-link-down", weight: 79, about: ofRedis, check: linkDown,
		benchmark:  "the replica keeps retrying the connection, and then copies everything",
		production: "the data of the replica is outdated, and nothing else reports that",
		do:         "check the server's log; the cause may be the address, the password (masterauth) or the primary itself",
	},
	{
		name: "redis-replica-behind", weight: 55, about: ofRedis, check: replicaBehind,
		benchmark:  "the primary buffers what the replica has not read: this takes memory, and eventually forces a full sync",
		production: "a promotion now would lose that much",
		do:         "check the replica's network, CPU and disk; client-output-buffer-limit sets when the replica is disconnected",
	},
	{
		name: "redis-replica", weight: 37, about: ofRedis, check: replica,
		benchmark:  "a replica accepts no writes, and the primary's writes arrive all the time",
		production: "expected, if the server is meant to be a replica",
		do:         "use the primary for loads that write",
	},
	{
		name: "redis-backlog-small", weight: 34, about: ofRedis, check: backlogSmall,
		benchmark:  "a replica that was disconnected briefly copies everything: a fork, and the whole dataset over the network",
		production: "the same",
		do:         configSet("repl-backlog-size", "64mb"),
	},
}

func emptyRestart(in *Input) evidence {
	n := in.number("connected_slaves")
	if aof, save, known := in.Redis.Persists(); !known || aof || save != "" || n == 0 || in.Redis.Info["role"] != "master" {
		return nothing
	}
	return found("a primary without persistence has %s", several(int(n), "replica"))
}

func linkDown(in *Input) evidence {
	if in.Redis.Info["master_link_status"] != "down" {
		return nothing
	}
	e := found("the link to the primary is down")
	if since := in.number("master_link_down_since_seconds"); since > 0 {
		e = found("the link to the primary has been down for %s", ago(float64(since)))
	}
	return e
}

// How far a replica may lag before it is reported.
const (
	lagToNotice    = 10 // seconds since it last reported its offset, which it does every second
	behindToNotice = 16 * unit.MiB
)

func replicaBehind(in *Input) evidence {
	primary := in.number("master_repl_offset")
	var parts []string
	for i := range in.number("connected_slaves") {
		line, there := in.Redis.Info[fmt.Sprintf("slave%d", i)]
		offset, lag := fieldOf(line, "offset"), fieldOf(line, "lag")
		if behind := primary - offset; there && offset > 0 && (lag >= lagToNotice || behind >= int64(behindToNotice)) {
			parts = append(parts, fmt.Sprintf("%s behind, last acknowledgement %d s ago", size(max(0, behind)), max(0, lag)))
		}
	}
	if parts == nil {
		return nothing
	}
	return found("%s: %s", several(len(parts), "replica"), list(parts))
}

// fieldOf returns a number in a line such as "ip=127.0.0.1,port=6380,offset=14,lag=0".
func fieldOf(line, name string) int64 {
	for part := range strings.SplitSeq(line, ",") {
		if value, found := strings.CutPrefix(part, name+"="); found {
			n, _ := strconv.ParseInt(value, 10, 64)
			return n
		}
	}
	return 0
}

func replica(in *Input) evidence {
	if in.Redis.Info["role"] != "slave" {
		return nothing
	}
	return found("the server is a replica of %s:%s", in.Redis.Info["master_host"], in.Redis.Info["master_port"])
}

// smallBacklog is the default: a few milliseconds of large writes.
const smallBacklog = unit.MiB

func backlogSmall(in *Input) evidence {
	bytes, known := in.Redis.Number("repl-backlog-size")
	if !known || bytes > float64(smallBacklog) || in.number("connected_slaves") == 0 {
		return nothing
	}
	return found("replicas need a full sync after missing %s of writes (repl-backlog-size)", size(int64(bytes)))
}
