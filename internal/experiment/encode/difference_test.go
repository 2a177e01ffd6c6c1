package encode

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
)

func TestDifferences(t *testing.T) {
	data, err := os.ReadFile("../decode/testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	record, _, err := decode.Parse("full.yaml", data, "../decode/testdata", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sets []string
		want []string
	}{
		{nil, nil},
		{[]string{"clients=[10]", "warmup=90s"}, nil},
		{[]string{"environments.managed.connect=postgresql://app:other@db.example/postgres?sslmode=require"}, nil},
		{[]string{"warmup=2s"}, []string{"warmup: 90s in the record, 2s in the file"}},
		{[]string{"clients=[10,20]"}, []string{"clients: 10 in the record, 10, 20 in the file"}},
		{[]string{"transactions=", "duration=2s"}, []string{"duration: not in the record, 2s in the file", "transactions: 100000 in the record, not in the file"}},
		{[]string{"rate=", "latency_limit="}, []string{"rate: 500 in the record, not in the file", "latency_limit: 5ms in the record, not in the file", "metric: latency in the record, tps in the file"}},
		{[]string{"seed=43"}, []string{"seed: 42 in the record, 43 in the file"}},
		{[]string{"seed="}, nil},
		{[]string{"keep_log=false"}, []string{"keep_log: true in the record, false in the file"}},
		{[]string{"settings.fsync=on", "settings.work_mem=4MB", "settings.shared_buffers="}, []string{
			"settings.fsync: off in the record, on in the file",
			"settings.shared_buffers: 1900MB in the record, not in the file",
			"settings.work_mem: not in the record, 4MB in the file",
		}},
		{[]string{"environments.one-disk.storage.data=/x"}, []string{"environments.one-disk.storage.data: /mnt/nvme0 in the record, /x in the file"}},
		{[]string{"environments.managed="}, []string{"environments: two-disks, one-disk, managed in the record, two-disks, one-disk in the file"}},
		{[]string{"environments.managed.connect=postgresql://other@db.example/postgres?sslmode=require"}, []string{
			"environments.managed.connect: postgresql://app@db.example/postgres?sslmode=require in the record, postgresql://other@db.example/postgres?sslmode=require in the file",
		}},
		{[]string{"workloads=[tpcb-like, {name: orders, sql: SELECT 2;}, {name: ping, sql: SELECT 2;, init: {sql: CREATE TABLE p (id int);}}, {name: take-order, scripts: [{file: scripts/Take_Order.sql, weight: 2}]}]"}, []string{
			"workloads.orders.scripts: take-order, script-2, select-only in the record, script-1 in the file",
			"workloads.orders.variables.hot: 10 in the record, not in the file",
			"workloads.orders.variables.region: eu in the record, not in the file",
			"workloads.orders.init.sql: CREATE TABLE orders (id bigint); in the record, not in the file",
			"workloads.ping.scripts.script-1.sql: SELECT 1; in the record, SELECT 2; in the file",
			"workloads.take-order.scripts.take-order.weight: 1 in the record, 2 in the file",
		}},
		{[]string{"workloads=[tpcb-like, {name: orders, scripts: [{file: scripts/Take_Order.sql, weight: 3}, {sql: SELECT 1;}, {builtin: select-only, weight: 2}], variables: {hot: 10, region: eu}, init: scripts/init.sql}, {name: ping, sql: SELECT 1;, init: {sql: CREATE TABLE p (id int);}}, {name: take-order, scripts: [{name: take-order, file: mistakes/a.sql}]}]"}, []string{
			"workloads.take-order.scripts.take-order.sql: the text in the record differs from that in the file",
		}},
		{[]string{"question=" + strings.Repeat("a", 80) + "b", "environments.one-disk.storage.data=" + strings.Repeat("/a", 50)}, []string{
			"question: Does a WAL device of its own: really help? in the record, " + strings.Repeat("a", 77) + "... in the file",
			"environments.one-disk.storage.data: /mnt/nvme0 in the record, " + strings.Repeat("/a", 38) + "/... in the file",
		}},
	} {
		file, _, err := decode.Parse("full.yaml", data, "../decode/testdata", test.sets)
		if err != nil {
			t.Errorf("%v: %v", test.sets, err)
			continue
		}
		if got := Differences(record, file); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.sets, got, test.want)
		}
	}
}

func TestDifferencesOfStorage(t *testing.T) {
	const lab = `
workloads: [select-only]
seed: 1
events: [{at: 1s, sql: VACUUM}]
environments:
  one:
    storage:
      data: {emulate: gp3, size: 1536MiB}
      wal: /wal
      tablespaces: {cold: {raid: 0, members: [/dev/sdb, {file: /a.img, size: 1GiB}], mount: [noatime]}, hot: /hot}
    limits: {memory: 8GiB}
    pressure: {write: 50MiB/s}
`
	record, _, err := decode.Parse("lab.yaml", []byte(lab), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sets []string
		want string
	}{
		{[]string{"environments.one.storage.data={emulate: {name: gp3}, size: 1.5GiB}"}, ""},
		{[]string{"environments.one.storage.data.iops=6000"}, "environments.one.storage.data.iops: not in the record, 6000 in the file"},
		{[]string{"environments.one.storage.data.emulate=io2"}, "environments.one.storage.data.emulate.name: gp3 in the record, io2 in the file"},
		{[]string{"environments.one.storage.data.size=1537MiB"}, "environments.one.storage.data.size: 1536MiB in the record, 1537MiB in the file"},
		{[]string{"environments.one.storage.data=/data"}, "environments.one.storage.data: {emulate: gp3, size: 1536MiB, backing: .} in the record, /data in the file"},
		{[]string{"environments.one.storage.wal=/log"}, "environments.one.storage.wal: /wal in the record, /log in the file"},
		{[]string{"environments.one.storage.wal="}, "environments.one.storage.wal: /wal in the record, not in the file"},
		{[]string{"environments.one.storage.wal={device: /dev/sdc}"}, "environments.one.storage.wal: /wal in the record, {device: /dev/sdc} in the file"},
		{[]string{"environments.one.storage.temp=/t"}, "environments.one.storage.temp: not in the record, /t in the file"},
		{[]string{"environments.one.storage.tablespaces.cold.mount=[noatime, discard]"}, "environments.one.storage.tablespaces.cold.mount: noatime in the record, noatime, discard in the file"},
		{
			[]string{"environments.one.storage.tablespaces.cold.members=[/dev/sdb, {file: /a.img, size: 2GiB}]"},
			"environments.one.storage.tablespaces.cold.members: /dev/sdb, {file: /a.img, size: 1GiB} in the record, /dev/sdb, {file: /a.img, size: 2GiB} in the file",
		},
		{[]string{"environments.one.storage.tablespaces.hot="}, "environments.one.storage.tablespaces: cold, hot in the record, cold in the file"},
		{[]string{"environments.one.limits.cpus=2"}, "environments.one.limits.cpus: not in the record, 2 in the file"},
		{[]string{"environments.one.pressure.write=51MiB/s"}, "environments.one.pressure.write: 50MiB/s in the record, 51MiB/s in the file"},
		{[]string{"events=[{at: 2s, sql: VACUUM}]"}, "events.event-1.at: 1s in the record, 2s in the file"},
		{[]string{"emulated_rates=fit"}, "emulated_rates: not in the record, fit in the file"},
	} {
		file, _, err := decode.Parse("lab.yaml", []byte(lab), "", test.sets)
		if err != nil {
			t.Errorf("%v: %v", test.sets, err)
			continue
		}
		if got := strings.Join(Differences(record, file), "; "); got != test.want {
			t.Errorf("%v: got %s, want %s", test.sets, got, test.want)
		}
	}
}

// Two models from files differ, but are too long to show.
func TestDifferencesOfModels(t *testing.T) {
	parse := func(median string) *experiment.Experiment {
		e, err := oneVolume(t, "{data: {emulate: {model: {name: x, read: {median: "+median+"}, write: {median: 1ms}}}}}")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	want := []string{"environments.one.storage.data.emulate.model: {name: x, read: {median: 1ms}, write: {median: 1ms}} in the record, {name: x, read: {median: 2ms}, write: {median: 1ms}} in the file"}
	if got := Differences(parse("1ms"), parse("2ms")); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// oneVolume parses an experiment with one environment with the given storage.
func oneVolume(t *testing.T, storage string) (*experiment.Experiment, error) {
	t.Helper()
	e, _, err := decode.Parse("lab.yaml", []byte("workloads: [select-only]\nenvironments:\n  one: {storage: "+storage+"}\n"), "", nil)
	return e, err
}
