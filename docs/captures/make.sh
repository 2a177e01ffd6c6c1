#!/bin/sh
# Makes the captures in this directory, as root, with PostgreSQL 15, sysstat and procps:
#
#	sh make.sh DIRECTORY
#
# Two environments alternate six times, because of the delay in their scripts: 20 ms and 40 ms. The first
# run of each has readings of iostat, vmstat and pg_stat_database beside it, and a checkpoint. The server's log
# is above both.
set -eu
out=$(realpath "$1")
bin=/usr/lib/postgresql/15/bin
work=$(mktemp -d)
chown postgres "$work"
su postgres -c "$bin/initdb -D $work/d -A trust >/dev/null && $bin/pg_ctl -D $work/d -o '-p 5544 -k $work -c log_line_prefix=\"%m [%p] \" -c log_timezone=UTC' -l $work/log -w start >/dev/null"
trap 'su postgres -c "$bin/pg_ctl -D $work/d -m fast stop >/dev/null"; rm -rf "$work"' EXIT
export PGHOST="$work" PGPORT=5544 PGUSER=postgres PGDATABASE=postgres
pgbench -i -s 10 -q 2>/dev/null
for delay in 20 40; do
	printf '\\sleep %d ms\nSELECT abalance FROM pgbench_accounts WHERE aid = 1;\n' $delay >"$work/read.$delay.sql"
done

disks=$(ls /sys/block | grep -v -e loop -e ram)
beside() { # readings beside a run, and a checkpoint
	S_TIME_FORMAT=ISO iostat -dxt $disks 1 4 >iostat.txt &
	vmstat -t 1 4 >vmstat.txt &
	{
		echo time,xact_commit,blks_hit,blks_read
		for _ in 1 2 3 4; do
			psql -AtF, -c "SELECT to_char(now(), 'YYYY-MM-DD\"T\"HH24:MI:SS.MSOF'), xact_commit, blks_hit, blks_read FROM pg_stat_database WHERE datname = 'postgres'"
			sleep 0.9
		done
	} >pg_stat_database.csv &
	(sleep 1.2 && psql -qc CHECKPOINT) &
}

pgbench -c 8 -j 2 -T 20 -P 5 >"$work/summary" 2>"$work/progress"
cat "$work/progress" "$work/summary" >"$out/chat.txt"
sed 's/^latency average = .*/latency average = 0.412 ms/' "$out/chat.txt" >"$out/edited.txt"

PATH=/nowhere /bin/sh -c 'iostat 1' 2>"$out/failed.txt" || true

fio --output-format=json --direct=1 --ioengine=libaio --bs=8k --size=256M --runtime=3 --time_based --filename="$work/fio" \
	--name=read --rw=randread --stonewall --name=read-4 --rw=randread --iodepth=4 --stonewall \
	--name=read-32 --rw=randread --iodepth=32 --stonewall --name=scan --rw=read --bs=256k --iodepth=16 --stonewall \
	--name=write --rw=randwrite --stonewall --name=commit --rw=write --fdatasync=1 --stonewall \
	--name=group --rw=write --bs=64k --fdatasync=1 --stonewall | sed "s,$work/fio,/var/tmp/fio," >"$out/disk.json"

for run in 1 2 3 4 5 6; do
	for delay in 20 40; do
		mkdir -p "$out/pairs/delay-$delay/r$run"
		cd "$out/pairs/delay-$delay/r$run"
		[ $run -ne 1 ] || beside
		cp "$work/read.$delay.sql" "$work/read.sql"
		pgbench -n -c 2 -j 2 -T 3 -P 1 -l --log-prefix=tx -f "$work/read.sql" >pgbench.txt 2>pgbench.err
		wait
	done
done
sed "s,$work,/var/run/postgresql," "$work/log" >"$out/pairs/postgresql.log"
