#!/bin/sh
# Rewrites ../postgres.csv from pg_settings of each given PostgreSQL. Arguments: the bin
# directories, oldest first. It uses psql from the PATH; as root it runs the servers as the
# user postgres. One row per parameter, as in the newest version, with the widest range.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 BIN..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
chmod 755 "$dir"
as=
if [ "$(id -u)" -eq 0 ]; then
	chown postgres "$dir"
	as="setpriv --reuid=postgres --regid=postgres --clear-groups"
fi
stop() {
	for pid in "$dir"/*/postmaster.pid; do
		[ ! -f "$pid" ] || kill -QUIT "$(head -1 "$pid")"
	done
	rm -rf "$dir"
}
trap stop EXIT
cd "$dir"
: >all.csv
for bin; do
	data=$dir/$("$bin/postgres" -V | tr -cd 0-9)
	$as "$bin/initdb" -D "$data" -A trust -U postgres -N --locale=C >/dev/null
	$as "$bin/pg_ctl" -D "$data" -w -l "$data.log" -o "-k $dir -h ''" start >/dev/null
	# Values set by packagers and this machine (paths, time zones) are not upstream defaults.
	psql -h "$dir" -U postgres -XAtq --csv postgres >>all.csv <<-'SQL'
		SELECT current_setting('server_version_num')::int / 10000, name, vartype, unit, context, min_val, max_val,
		  array_to_string(enumvals, '|'), CASE WHEN category NOT LIKE 'Preset%' AND vartype <> 'string' THEN boot_val END, short_desc
		FROM pg_settings WHERE name !~ '\.'
	SQL
	$as "$bin/pg_ctl" -D "$data" -w -m fast stop >/dev/null
	last=$bin
done
$as "$last/pg_ctl" -D "$data" -w -l "$data.log" -o "-k $dir -h ''" start >/dev/null
chmod 644 all.csv
psql -h "$dir" -U postgres -XAtq postgres >"$here/../postgres.csv" <<SQL
CREATE TEMP TABLE seen(version int, name text, vartype text, unit text, context text, min_val float8, max_val float8, enumvals text, boot_val text, short_desc text);
\\copy seen FROM '$dir/all.csv' CSV
COPY (
  SELECT name,
    CASE vartype WHEN 'bool' THEN 'boolean' WHEN 'real' THEN 'number' WHEN 'enum' THEN 'word' WHEN 'string' THEN 'text' ELSE vartype END AS kind,
    unit, low AS min, high AS max,
    -- The words of all builds: a build without lz4 or io_uring does not list it.
    CASE vartype WHEN 'bool' THEN 'on|off' ELSE (SELECT string_agg(word, '|' ORDER BY place, word) FROM (SELECT word, min(place) AS place FROM seen AS s,
      unnest(string_to_array(s.enumvals, '|')) WITH ORDINALITY AS w(word, place) WHERE s.name = newest.name GROUP BY word) AS of_all) END AS words, boot_val AS default,
    CASE context WHEN 'postmaster' THEN 'restart' WHEN 'internal' THEN 'cannot be set' END AS needs,
    CASE WHEN first = last THEN last::text ELSE first || '-' || last END AS versions, short_desc AS doc
  FROM (SELECT DISTINCT ON (name) *,
      min(min_val) OVER of_type AS low, max(max_val) OVER of_type AS high, min(version) OVER of_name AS first, max(version) OVER of_name AS last
    FROM seen WINDOW of_name AS (PARTITION BY name), of_type AS (PARTITION BY name, vartype, unit)
    ORDER BY name, version DESC) AS newest
  ORDER BY name COLLATE "C"
) TO STDOUT CSV HEADER;
SQL
