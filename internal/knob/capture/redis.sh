#!/bin/sh
# Rewrites ../redis.csv from CONFIG GET * of each given redis-server and valkey-server, and
# from their errors for invalid values, which list the valid ones. Arguments: the programs,
# oldest first. One row per parameter: its default is that of the last redis-server that has it, or
# else of the last valkey-server, and it needs a restart if it does in any of them.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 SERVER..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'kill $server 2>/dev/null || :; rm -rf "$dir"' EXIT
cd "$dir"
: >all.tsv
for program; do
	"$program" --port 0 --unixsocket "$dir/socket" --dir "$dir" --logfile "$dir/log" >/dev/null &
	server=$!
	until redis-cli -s "$dir/socket" ping >/dev/null 2>&1; do kill -0 $server; sleep 0.1; done
	# "valkey 8.1", "redis 7.0"
	version=$("$program" --version | sed -E 's/^(Redis|Valkey) server v=([0-9]+\.[0-9]+).*/\1 \2/' | tr RV rv)
	redis-cli -s "$dir/socket" config get '*' >get
	# Use one connection for all, since requirepass accepts any value. Skip TLS settings:
	# without TLS, Redis 8.2 crashes on a wrong tls-port.
	awk 'NR % 2 && !/^tls-/ { print "echo \"@ " $0 "\""; print "config set " $0 " no-such-value" }' get >ask
	redis-cli -s "$dir/socket" <ask >said
	awk '/^@ / { name = $2; next } /an integer/ { print "echo \"@ " name "\""; print "config set " name " -9223372036854775807" }' said >ask
	redis-cli -s "$dir/socket" -a no-such-value --no-auth-warning <ask >>said
	awk -v version="$version" -v OFS='\t' '
		FILENAME == "get" && FNR % 2 { name = $0; if (name ~ /^tls-/) order[++n] = name; next }
		FILENAME == "get" { value[name] = $0; next }
		/^@ / { name = $2; if (!(name in said)) order[++n] = name; next }
		{ said[name] = said[name] " " $0 }
		END { for (i = 1; i <= n; i++) print version, order[i], value[order[i]], said[order[i]] }
	' get said >>all.tsv
	kill $server
	wait $server || :
	rm -f "$dir/socket" "$dir"/*.rdb
done
awk -F '\t' -v OFS=, '
	function quoted(s) { gsub(/"/, "\"\"", s); return s ~ /[",]/ ? "\"" s "\"" : s }
	function least(a, b) { return a == "" || b + 0 < a + 0 ? b : a }
	function most(a, b) { return a == "" || b + 0 > a + 0 ? b : a }
	{
		split($1, program, " "); name = $2; seen[name] = 1
		versions[name, program[1]] = program[2]
		if (!((name, program[1]) in first)) first[name, program[1]] = program[2]
		# A setting that cannot be changed at run time does not report its valid values. Use
		# those of another program, if known; else treat numbers as integers, except file modes.
		immutable = $4 ~ /can.t set (immutable|protected) config|Unsupported CONFIG/
		if (immutable) needs[name] = "restart"
		fixed = immutable || name ~ /^tls-/
		if (program[1] == "redis" || !((name, "redis") in versions))
			value[name] = name ~ /^(port|dir|unixsocket|logfile)$/ || $3 ~ /\// ? "" : $3
		if (match($4, /between -?[0-9]+ and -?[0-9]+/)) {
			split(substr($4, RSTART, RLENGTH), w, " ")
			kind[name] = "integer"; low[name] = least(low[name], w[2]); high[name] = most(high[name], w[4])
		} else if ($4 ~ /must be a memory value/) { kind[name] = "integer"; unit[name] = "bytes"; low[name] = 0 }
		else if ($4 ~ /.yes. or .no./) { kind[name] = "boolean"; words[name] = "yes|no" }
		else if (match($4, /one of the following: /)) {
			list = substr($4, RSTART + RLENGTH); sub(/ *ERR .*/, "", list); sub(/[ .]*$/, "", list); gsub(/, */, "|", list)
			kind[name] = "word"; words[name] = list
		} else if (!(name in kind)) kind[name] = fixed && $3 ~ /^[0-9]+$/ && name !~ /perm$/ ? "integer" : "text"
	}
	END {
		print "name,kind,unit,min,max,words,default,needs,versions,doc"
		for (name in seen) {
			said = ""
			for (i = split("redis valkey", p, " "); i > 0; i--) if ((name, p[i]) in versions) {
				range = first[name, p[i]] (first[name, p[i]] == versions[name, p[i]] ? "" : "-" versions[name, p[i]])
				said = p[i] " " range (said == "" ? "" : ", " said)
			}
			print name, kind[name], unit[name], low[name], high[name], quoted(words[name]), quoted(value[name]), needs[name], quoted(said), "" | "LC_ALL=C sort -t, -k1,1"
			# Write the header before the sorted rows.
			fflush()
		}
	}
' all.tsv >"$here/../redis.csv"
