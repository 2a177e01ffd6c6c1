package placing

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/cli/base"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/hint"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/unit"
)

// TestStorePrices compares prices of stores with values calculated by hand from the prices of today:
// gp3 at $0.08 per GB, io2 at $0.125 per GB and $0.065 per IOPS.
func TestStorePrices(t *testing.T) {
	array := filepath.Join(t.TempDir(), "array.yaml")
	err := os.WriteFile(array, []byte("name: two\narray: {level: 1, members: 2, of: {name: gp3, read: {median: 1ms}, write: {median: 1ms}, iops: {rate: 3000}, throughput: {rate: 125MiB/s}}}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for store, want := range map[string]float64{
		"a=gp3,500GiB,iops=6000,throughput=250MiB/s": 60, // as published: 3,000 more at $0.005, 125 more at $0.04
		"a=gp3,500GiB":           40,
		"a=gp3":                  10,   // 100 GiB at 80%: 125 GiB
		"a=st1,500GiB":           22.5, // no IOPS of its own to pay
		"a=gp3,500GiB,usd=7":     7,
		"a=local-nvme,500GiB":    -1,
		"a=" + array + ",100GiB": 16, // two volumes of 100 GiB
		"a=io2,100GiB":           12.5 + math.Min(ioIOPS(t), 32000)*0.065,
	} {
		c, err := placeFlags{stores: []string{store}, region: "us-east-1"}.choice()
		if err != nil {
			t.Errorf("%s: %v", store, err)
			continue
		}
		usd, known := c.price(c.stores[0], 100*unit.GiB)
		if !known {
			usd = -1
		}
		if math.Abs(usd-want) > 0.005 {
			t.Errorf("%s costs %.2f, want %.2f", store, usd, want)
		}
	}
}

func ioIOPS(t *testing.T) float64 {
	t.Helper()
	e, err := base.FindDevice("io2")
	if err != nil {
		t.Fatal(err)
	}
	return e.Device.IOPS.Rate
}

// TestStoresHold checks which store has what is not assigned: the first one.
func TestStoresHold(t *testing.T) {
	c, err := placeFlags{stores: []string{"a=gp3", "b=gp3,holds=fast,wal", "c=gp3,dir=/mnt/c,copy=100MiB/s"}}.choice()
	if err != nil {
		t.Fatal(err)
	}
	c.fill([]relation.Tablespace{{Name: "fast"}, {Name: "old"}, {Name: "pg_default"}, {Name: "pg_global"}})
	a, b, third := c.stores[0], c.stores[1], c.stores[2]
	if len(a.Tablespaces) != 2 || a.Tablespaces[0] != "pg_default" || a.WAL || !b.WAL || b.Tablespaces[0] != "fast" ||
		third.Location != "/mnt/c" || third.CopyRate != unit.Rate(100*unit.MiB) {
		t.Errorf("%+v", c.stores)
	}
	if c.goal.Objective != placement.LeastTime || c.book.Name == "" || c.book.Currency != "USD" {
		t.Errorf("goal %+v, book %s, today's is %s", c.goal, c.book.Name, price.Today)
	}
}

// TestStoresRefuse checks which kinds of objects a store refuses.
func TestStoresRefuse(t *testing.T) {
	c, err := placeFlags{stores: []string{"a=gp3,not=wal,not=table"}, region: "us-east-1"}.choice()
	want := []string{placement.WAL, relation.Table, relation.Partition, relation.MatView}
	if err != nil || !slices.Equal(c.stores[0].Refuses, want) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := (placeFlags{stores: []string{"a=gp3,not=wall"}, region: "us-east-1"}).choice(); err == nil || hint.Of(err) != "did you mean wal?" {
		t.Errorf("%v (%s)", err, hint.Of(err))
	}
}
