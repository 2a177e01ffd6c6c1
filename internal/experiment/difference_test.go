package experiment

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	record, _, err := Parse("full.yaml", data, "testdata", nil)
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
			"workloads.take-order.scripts.take-order.sql: not the same text in the record and in the file",
		}},
		{[]string{"question=" + strings.Repeat("a", 80) + "b", "environments.one-disk.storage.data=" + strings.Repeat("/a", 50)}, []string{
			"question: Does a WAL device of its own: really help? in the record, " + strings.Repeat("a", 77) + "... in the file",
			"environments.one-disk.storage.data: /mnt/nvme0 in the record, " + strings.Repeat("/a", 38) + "/... in the file",
		}},
	} {
		file, _, err := Parse("full.yaml", data, "testdata", test.sets)
		if err != nil {
			t.Errorf("%v: %v", test.sets, err)
			continue
		}
		if got := Differences(record, file); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.sets, got, test.want)
		}
	}
}
