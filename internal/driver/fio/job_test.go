package fio

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	target := Target{Path: "/dev/disk/by-path/pci-0000:00", Size: 1 << 20, Seed: 7}
	for _, try := range []struct {
		job  Job
		want string
	}{
		{Job{Name: "a", Pattern: RandomRead, Block: 8192, Depth: 1, Time: 1500 * time.Millisecond},
			"--name=a --stonewall --rw=randread --bs=8192 --runtime=1500ms --direct=1 --ioengine=psync"},
		{Job{Name: "b", Pattern: RandomMixed, Block: 8192, Depth: 16, Reads: 70, Time: time.Second},
			"--name=b --stonewall --rw=randrw --bs=8192 --runtime=1000ms --direct=1 --ioengine=libaio --iodepth=16 --rwmixread=70"},
		{Job{Name: "c", Pattern: Write, Block: 8192, Depth: 1, Time: time.Second, Durable: true, Buffered: true},
			"--name=c --stonewall --rw=write --bs=8192 --runtime=1000ms --direct=0 --ioengine=psync --fdatasync=1"},
		{Job{Name: "d", Pattern: Read, Block: 4096, Depth: 4, Time: time.Second, Buffered: true, Seconds: "/s/d"},
			"--name=d --stonewall --rw=read --bs=4096 --runtime=1000ms --direct=0 --ioengine=psync --numjobs=4 --write_bw_log=/s/d --log_avg_msec=1000 --per_job_logs=0"},
		{Job{Name: "e", Pattern: RandomRead, Block: 8192, Depth: 1, Time: time.Second, Clock: "/s/e"},
			"--name=e --stonewall --rw=randread --bs=8192 --runtime=1000ms --direct=1 --ioengine=psync --write_bw_log=/s/e --log_avg_msec=125 --per_job_logs=0 --log_unix_epoch=1"},
	} {
		args := Arguments(target, []Job{try.job})
		at := slices.Index(args, "--name="+try.job.Name)
		if got := strings.Join(args[at:], " "); got != try.want {
			t.Errorf("got  %s\nwant %s", got, try.want)
		}
		for _, want := range []string{`--filename=/dev/disk/by-path/pci-0000\:00`, "--size=1048576", "--randseed=7", "--allow_file_create=0"} {
			if !slices.Contains(args[:at], want) {
				t.Errorf("%s is not among %v", want, args[:at])
			}
		}
	}
}

func TestWrites(t *testing.T) {
	for pattern, want := range map[Pattern]bool{Read: false, RandomRead: false, Write: true, RandomWrite: true, RandomMixed: true} {
		if pattern.Writes() != want {
			t.Errorf("%s: %v", pattern, !want)
		}
	}
}

func TestJobFile(t *testing.T) {
	got := JobFile(Target{Path: "/a:b", Size: 1 << 20, Seed: 7}, []Job{
		{Name: "a", Pattern: RandomRead, Block: 8192, Depth: 1, Time: time.Second},
		{Name: "b", Pattern: Write, Block: 8192, Depth: 1, Time: time.Second, Durable: true, Buffered: true},
	})
	const want = `[global]
filename=/a\:b
size=1048576
allow_file_create=0
thread=1
group_reporting=1
time_based=1
lat_percentiles=1
clat_percentiles=0
randrepeat=0
randseed=7
norandommap=1

[a]
stonewall
rw=randread
bs=8192
runtime=1000ms
direct=1
ioengine=psync

[b]
stonewall
rw=write
bs=8192
runtime=1000ms
direct=0
ioengine=psync
fdatasync=1
`
	if got != want {
		t.Errorf("got %s", got)
	}
}
