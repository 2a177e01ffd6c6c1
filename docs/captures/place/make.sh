#!/bin/sh
# Makes the two looks in this directory, as root, with PostgreSQL 15 and plinth:
#
#	sh make.sh DIRECTORY
#
# The database has the eight tables and indexes of the content platform in "Storage Selection for Database
# Workloads" at 1/100 of their sizes, and for two minutes about 1/20 of their reads and writes.
set -eu
out=$(realpath "$1")
bin=/usr/lib/postgresql/15/bin
work=$(mktemp -d)
chown postgres "$work"
su postgres -c "$bin/initdb -D $work/d -A trust >/dev/null && $bin/pg_ctl -D $work/d -o '-p 5545 -k $work -c shared_buffers=64MB -c max_wal_size=256MB -c checkpoint_timeout=30s' -l $work/log -w start >/dev/null"
trap 'su postgres -c "$bin/pg_ctl -D $work/d -m fast stop >/dev/null"; rm -rf "$work"' EXIT
export PGHOST="$work" PGPORT=5545 PGUSER=postgres PGDATABASE=postgres
psql -q <<'SQL'
CREATE TABLE articles (id bigint, published timestamptz, category int, title text, body text);
INSERT INTO articles SELECT i, timestamptz '2026-05-01' - i * interval '37 seconds', i % 1000, 'Article ' || i, repeat(md5(i::text), 4) FROM generate_series(1, 550000) i;
ALTER TABLE articles ADD CONSTRAINT articles_pkey PRIMARY KEY (id);
CREATE INDEX articles_cat_pub ON articles (category, published DESC);
CREATE TABLE analytics_events (ts timestamptz, article bigint, kind int, visitor text);
INSERT INTO analytics_events SELECT timestamptz '2026-05-01' - i * interval '7 seconds', i % 550000, i % 5, repeat(md5(i::text), 4) FROM generate_series(1, 2730000) i;
CREATE INDEX analytics_events_ts ON analytics_events (ts);
CREATE TABLE analytics_daily AS SELECT date '2026-05-01' - (i % 365)::int AS day, i AS article, i % 977 AS views, repeat(md5(i::text), 4) AS visitors FROM generate_series(1, 100000) i;
ALTER TABLE analytics_daily ADD PRIMARY KEY (article);
CREATE TABLE subscriptions AS SELECT i AS id, repeat(md5(i::text), 4) AS reader FROM generate_series(1, 2500) i;
ALTER TABLE subscriptions ADD PRIMARY KEY (id);
CREATE TABLE old_articles (id bigint PRIMARY KEY, published timestamptz, category int, title text, body text);
INSERT INTO old_articles SELECT i, timestamptz '2016-05-01' - i * interval '37 seconds', i % 1000, 'Old article ' || i, repeat(md5(i::text), 4) FROM generate_series(1, 1280000) i;
VACUUM ANALYZE;
CHECKPOINT;
SQL
script() { # NAME SQL
	printf '%s\n' "$2" >"$work/$1.sql"
}
script by-id '\set id random(1, 550000)
SELECT title, body FROM articles WHERE id = :id;'
script by-category '\set category random(0, 999)
SELECT id, title FROM articles WHERE category = :category ORDER BY published DESC LIMIT 20;'
script insert '\set article random(1, 550000)
INSERT INTO analytics_events VALUES (now(), :article, 1, repeat(md5(:article::text), 4));'
script daily '\set article random(1, 100000)
UPDATE analytics_daily SET views = views + 1 WHERE article = :article;'
script reader '\set id random(1, 2500)
SELECT reader FROM subscriptions WHERE id = :id;'
script old '\set id random(1, 1280000)
SELECT title, body FROM old_articles WHERE id = :id;'
plinth place --save "$out/first.json" "host=$work port=5545 user=postgres dbname=postgres" >/dev/null
pgbench -n -c 4 -j 2 -T 120 -R 585 -f "$work/by-id.sql@210" -f "$work/by-category.sql@155" -f "$work/insert.sql@210" \
	-f "$work/daily.sql@8" -f "$work/reader.sql@1" -f "$work/old.sql@1" >/dev/null 2>&1
sleep 2
plinth place --save "$out/second.json" "host=$work port=5545 user=postgres dbname=postgres" >/dev/null
