package cost

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/price"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// prices are round numbers, so that bills can be calculated by hand.
const prices = `
schema: plinth/prices/v1
name: test
date: 2026-11-01
currency: USD
hours: 720
sources: {list: {title: test}}
regions:
  here:
    instances: {source: list, hour: {m6i.large: 0.1, t3.large: 0.05, i3en.xlarge: 0.5}}
    terms: {spot: {source: list, discount: 0.5}}
    surplus_credits: {source: list, vcpu_hour: {t3: 0.05, db.t3: 0.075}}
    volumes:
      gp3: {source: list, gb: 0.08, iops: [{above: 3000, price: 0.005}], throughput: [{above: 125, price: 0.04}]}
      io2: {source: list, gb: 0.125, iops: [{above: 0, price: 0.065}, {above: 32000, price: 0.0455}]}
    databases:
      rds-postgresql: {title: RDS, source: list, hour: {db.t3.large: 0.2}, volumes: {gp3: {source: list, gb: 0.2}}}
      aurora-serverless-v2: {title: Aurora, source: list, acu_hour: 0.12, volumes: {cluster: {source: list, gb: 0.1, million_ios: 0.2}}}
`

func testBooks(t testing.TB) Books {
	t.Helper()
	b, err := price.Parse("test.yaml", []byte(prices))
	if err != nil {
		t.Fatal(err)
	}
	return Books{Own: b}
}

func parse(t testing.TB, environments string) *experiment.Experiment {
	t.Helper()
	text := "name: test\nworkloads: [tpcb-like]\nclients: 1\nrepeats: 8\nenvironments:\n" + environments
	e, _, err := decode.Parse("test.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestBills compares bills with values calculated by hand.
func TestBills(t *testing.T) {
	for name, test := range map[string]struct {
		environment string
		want        float64 // NaN: unknown
		items       int
	}{
		"a volume as emulated":           {"{storage: {data: {emulate: gp3, iops: 6000, throughput: 250MiB/s}}}", 40 + 15 + 5, 3},
		"of a stated size":               {"{storage: {data: {emulate: gp3, size: 100GiB}}}", 8, 1},
		"an array of emulated volumes":   {"{storage: {data: {emulate: {raid: 10, of: gp3, members: 8}, size: 50GiB}}}", 8 * 13 * 0.08, 1},
		"an array of devices":            {"{storage: {data: {raid: 0, members: [{emulate: gp3, size: 50GiB}, {emulate: gp3, size: 50GiB}]}}}", 8, 1},
		"an array of unlike devices":     {"{storage: {data: {raid: 0, members: [{emulate: gp3, size: 50GiB}, {emulate: gp3, size: 100GiB}]}}}", 12, 2},
		"what a directory is":            {"{storage: {data: {directory: /mnt, is: io2, iops: 33000}}, cost: {volumes: [{for: data, size: 500GiB}]}}", 62.5 + 32000*0.065 + 45.5, 3},
		"a directory":                    {"{storage: {data: /mnt}}", math.NaN(), 1},
		"data and WAL":                   {"{storage: {data: {emulate: gp3, size: 100GiB}, wal: {emulate: io2, iops: 1000, size: 10GiB}}}", 8 + 1.25 + 65, 3},
		"volumes that are stated":        {"{storage: {data: /mnt}, cost: {volumes: [{type: gp3, size: 50GiB, count: 8}]}}", 32, 1},
		"a machine":                      {"{instance: m6i.large, storage: {data: {emulate: gp3}}}", 72 + 40, 2},
		"two of them, spot":              {"{instance: m6i.large, cost: {machines: 2, term: spot}, storage: {data: {emulate: gp3}}}", 72 + 40, 2},
		"at a discount":                  {"{instance: m6i.large, cost: {discount: 75%}, storage: {data: {emulate: gp3}}}", 18 + 40, 2},
		"with a replica":                 {"{instance: m6i.large, storage: {data: {emulate: gp3}}, replica: {storage: {data: {emulate: gp3}}}}", 144 + 80, 3},
		"local drives":                   {"{instance: i3en.xlarge, storage: {data: {emulate: local-nvme}}}", 360, 2},
		"local drives without a machine": {"{storage: {data: {emulate: local-nvme}}}", math.NaN(), 1},
		"an owned machine":               {"{cost: {on_premises: {capital: 4800, years: 4, watts: 500, kilowatt_hour: 0.25, share: 50%}}}", 50 + 45, 2},
		"an unknown instance":            {"{instance: m7g.large, storage: {data: {emulate: gp3}}}", math.NaN(), 2},
		"a managed database":             {"{instance: db.t3.large, connect: 'postgresql://u@h/d', disposable: true, cost: {volumes: [{type: gp3, size: 100GiB}]}}", 144 + 20, 2},
		"one whose storage is unknown":   {"{instance: db.t3.large, connect: 'postgresql://u@h/d', disposable: true}", math.NaN(), 2},
		"serverless":                     {"{connect: 'postgresql://u@h/d', disposable: true, cost: {acus: 2, ios_per_month: 50000000, volumes: [{type: cluster, size: 100GiB}]}}", 2*720*0.12 + 10 + 10, 3},
		"serverless, at a discount":      {"{connect: 'postgresql://u@h/d', disposable: true, cost: {acus: 2, discount: 30%, ios_per_month: 50000000, volumes: [{type: cluster, size: 100GiB}]}}", 2*720*0.12*0.7 + 10 + 10, 3},
		"serverless, I/Os not known":     {"{connect: 'postgresql://u@h/d', disposable: true, cost: {acus: 2, volumes: [{type: cluster, size: 100GiB}]}}", math.NaN(), 3},
		"further costs":                  {"{storage: {data: {emulate: gp3}}, cost: {further: {licences: 120, archive: 4.50}}}", 164.5, 3},
		"a storage class":                {"{kubernetes: {operator: none}, storage: {data: {class: fast, size: 100GiB}}, cost: {classes: {fast: gp3}}}", 8, 1},
		"one without a type":             {"{kubernetes: {operator: none}, storage: {data: {class: fast, size: 100GiB}}}", math.NaN(), 1},
		"nothing":                        {"{}", math.NaN(), 1},
	} {
		e := parse(t, "  a: "+test.environment)
		bill, err := BillOf(e, e.Environments[0], testBooks(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := float64(bill.Month()); len(bill.Items) != test.items || math.Abs(got-test.want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %g, want %g: %+v", name, got, test.want, bill.Items)
		}
	}
}

func TestBillErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{cost: {book: nope}, storage: {data: {emulate: gp3}}}":                          `there is no price book "nope"`,
		"{cost: {region: nowhere}, storage: {data: {emulate: gp3}}}":                     `has no region "nowhere"`,
		"{instance: m6i.large, cost: {term: rented}, storage: {data: {emulate: gp3}}}":   `has no term "rented"`,
		"{instance: m6i.large, cost: {service: mysql}, storage: {data: {emulate: gp3}}}": `has no managed database "mysql"`,
	} {
		e := parse(t, "  a: "+text)
		if _, err := BillOf(e, e.Environments[0], testBooks(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// measured returns a record of the experiment with the TPS of each environment in each block, and its p99
// in milliseconds.
func measured(e *experiment.Experiment, tps map[string][]float64) *record.Record {
	rec := &record.Record{Path: "results/test", Environments: map[string]record.Environment{}}
	rec.Summary.Seed = 1
	for _, env := range e.Environments {
		rec.Environments[env.Name] = record.Environment{Name: env.Name}
		for block, v := range tps[env.Name] {
			run := record.Run{Status: record.Valid}
			run.Environment, run.Repeat, run.Attempt = env.Name, block+1, 1
			run.Cell = experiment.Cell{Workload: "tpcb-like", Clients: 1, Threads: 1}
			run.Result.TPS = v
			run.Result.Latency.P99, run.Result.Latency.P999 = int64(1e10/v), int64(2e10/v)
			rec.Runs = append(rec.Runs, run)
		}
	}
	return rec
}

// around returns eight values around one, whose geometric mean it is.
func around(value float64) []float64 {
	var all []float64
	for _, f := range []float64{0.99, 1.01, 0.995, 1.005, 1.002, 0.998, 1.003, 0.997} {
		all = append(all, value*f/0.9999645)
	}
	return all
}

func sheet(t testing.TB, environments string, tps map[string][]float64) *Sheet {
	t.Helper()
	e := parse(t, environments)
	s, err := NewSheet(e, measured(e, tps), testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const three = `
  slow: {storage: {data: {emulate: gp3}}}
  fast: {storage: {data: {emulate: gp3, iops: 6000, throughput: 250MiB/s}}}
  dear: {storage: {data: {emulate: io2, iops: 16000}}}
`

func TestRows(t *testing.T) {
	s := sheet(t, three, map[string][]float64{"slow": around(1000), "fast": around(3000), "dear": around(3010)})
	r := s.Rows[0]
	// 40 dollars for 1,000 TPS in 720 hours: 2,592 million transactions.
	if r.Environment != "slow" || math.Abs(r.Million.Value-40/2592.0) > 1e-4*r.Million.Value || math.Abs(r.PerMoney.Value-25) > 0.01 || math.Abs(r.Thousand.Value-40) > 0.01 {
		t.Errorf("%+v", r)
	}
	if r.Million.Level != 0.95 || r.Million.N != 8 || !(r.Million.Low < r.Million.Value && r.Million.Value < r.Million.High) {
		t.Errorf("its interval: %+v", r.Million)
	}
	want := map[string]string{"slow": OnFront, "fast": OnFront, "dear": Beaten}
	for _, c := range s.Fronts[0].Choices {
		if c.Standing != want[c.Environment] {
			t.Errorf("%s is %s (by %s), want %s", c.Environment, c.Standing, c.By, want[c.Environment])
		}
	}
	// fast costs 60 for 3,000: as much per transaction as slow at a share of 50 %.
	evens := s.Evens()
	if len(evens) != 2 || evens[0].Dearer != "fast" || math.Abs(evens[0].Utilisation.Value-0.5) > 0.001 {
		t.Errorf("%+v", evens)
	}
	// p99 is 10 ms, 3.33 ms, 3.32 ms, and p99.9 twice that.
	for _, test := range []struct {
		target    time.Duration
		p99, p999 string
		more      float64
	}{
		{11 * time.Millisecond, "slow", "fast", 20}, {25 * time.Millisecond, "slow", "slow", 0}, {4 * time.Millisecond, "fast", "", math.NaN()}, {time.Millisecond, "", "", math.NaN()},
	} {
		n := s.Nines(test.target)[0]
		if n.P99 != test.p99 || n.P999 != test.p999 || math.Abs(float64(n.More)-test.more) > 1e-9 && !(math.IsNaN(test.more) && !n.More.Known()) {
			t.Errorf("%s: %+v", test.target, n)
		}
	}
}

// TestUndecided: blocks that do not decide leave the order open; an unknown price is left out.
func TestUndecided(t *testing.T) {
	noisy := []float64{800, 1300, 900, 1200, 1100, 950, 1250, 850}
	s := sheet(t, three+"  directory: {storage: {data: /mnt}}\n", map[string][]float64{
		"slow": around(1000), "fast": noisy, "dear": slices.Repeat([]float64{5000}, 8), "directory": around(9000),
	})
	f := s.Fronts[0]
	if !slices.Equal(f.LeftOut, []string{"directory"}) || len(f.Choices) != 3 || f.Choices[1].Standing != Open || f.Choices[1].By != "slow" || f.Choices[2].Standing != OnFront {
		t.Errorf("%+v", f)
	}
	if r := s.Rows[3]; r.Month.Known() || r.Million.Known() || !r.TPS.Known() {
		t.Errorf("the price of a directory: %+v", r)
	}
}

func TestUnlikeBills(t *testing.T) {
	s := sheet(t, "  a: {instance: m6i.large, storage: {data: {emulate: gp3}}}\n  b: {storage: {data: {emulate: gp3}}}\n", nil)
	if !s.bill("a").Month().Known() || s.bill("b").Month().Known() {
		t.Errorf("%+v", s.Environments)
	}
}

// TestImportedOrder: imported runs whose order is not known are never compared block by block.
func TestImportedOrder(t *testing.T) {
	e := parse(t, three)
	rec := measured(e, map[string][]float64{"slow": around(1000), "fast": around(3000), "dear": around(9000)})
	rec.Import = &record.Import{Order: record.OrderUnknown}
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Fronts[0].Choices[1:] {
		if c.Standing != Open {
			t.Errorf("%s is %s", c.Environment, c.Standing)
		}
	}
}

// TestCreditsAreCharged: an unlimited t3 costs more under a load above its baseline; a standard one does less.
// The CPUs are those of the server's machine, of which the instance may have fewer.
func TestCreditsAreCharged(t *testing.T) {
	load := func(environment string, cpus float64) Row {
		e := parse(t, "  a: "+environment)
		rec := measured(e, map[string][]float64{"a": around(1000)})
		rec.Machine = &record.Machine{}
		rec.Machine.CPUs = 16
		for i := range rec.Runs {
			rec.Runs[i].Figures = map[string]float64{"cpu-by-server": 1}
			rec.Runs[i].Evidence = &record.Evidence{Covered: 10, Machine: record.MachineEvidence{User: 9 * cpus, Idle: cpus}}
		}
		s, err := NewSheet(e, rec, testBooks(t), false)
		if err != nil {
			t.Fatal(err)
		}
		return s.Rows[0]
	}
	// 2 vCPUs, of which 0.6 are earned: 1.4 vCPU-hours an hour, after 864 credits in 10.3 hours, at 0.05.
	for _, cpus := range []float64{2, 4} {
		r := load("{instance: t3.large, storage: {data: {emulate: gp3}}}", cpus)
		if want := 36 + 40 + 1.4*720*0.05; math.Abs(float64(r.Month)-want) > 1e-6 {
			t.Errorf("%g CPUs: a month costs %v, want %g", cpus, r.Month, want)
		}
		if l := r.Load; l == nil || len(l.Limits) != 1 || math.Abs(l.Limits[0].Lasts-864.0/60/1.4) > 1e-9 || !l.Limits[0].Charged || math.Abs(l.Hours[1].TPS-r.TPS.Value) > 1e-6 {
			t.Errorf("%g CPUs: %+v", cpus, r.Load)
		}
	}
	// 60 credits last 42.9 minutes of the first hour; then there are 0.6 vCPUs.
	r := load("{instance: t3.large, limits: {cpu_credits: {instance: t3.large, mode: standard, balance: 60}}, storage: {data: {emulate: gp3}}}", 2)
	if l := r.Load; l == nil || l.Limits[0].Charged || float64(r.Month) != 76 || math.Abs(l.Hours[0].TPS/r.TPS.Value-0.8) > 1e-6 || math.Abs(l.Hours[1].TPS/r.TPS.Value-0.3) > 1e-6 {
		t.Errorf("standard: %+v: %+v", r, r.Load)
	}
}

// TestBuckets: a gp2 volume at its burst is slower once its bucket is empty, and so is an instance whose path
// to EBS bursts.
func TestBuckets(t *testing.T) {
	e := parse(t, "  a: {instance: m6i.large, storage: {data: {emulate: gp2}}}")
	rec := measured(e, map[string][]float64{"a": around(1000)})
	d, err := device.Configure("gp2", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Environments["a"] = record.Environment{Name: "a", Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: d}}}}
	for i := range rec.Runs {
		rec.Runs[i].Figures = map[string]float64{"data-disk-iops": 3000}
	}
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	// 500 GB: 1,500 IOPS, and 5.4 million operations in the bucket: an hour at 3,000.
	l := s.Rows[0].Load
	if l == nil || len(l.Limits) != 1 || math.Abs(l.Limits[0].Lasts-1) > 0.001 || math.Abs(l.Hours[0].TPS/s.Rows[0].TPS.Value-1) > 0.001 || math.Abs(l.Hours[1].TPS/s.Rows[0].TPS.Value-0.5) > 0.001 {
		t.Errorf("%+v", l)
	}
}

// TestNothingBeatsTheFront: no environment on the front costs more and certainly does less than another one.
func TestNothingBeatsTheFront(t *testing.T) {
	books := testBooks(t)
	rapid.Check(t, func(t *rapid.T) {
		var environments strings.Builder
		tps := map[string][]float64{}
		n := rapid.IntRange(2, 5).Draw(t, "environments")
		for i := range n {
			name := fmt.Sprintf("e%d", i)
			fmt.Fprintf(&environments, "  %s: {storage: {data: {emulate: gp3, size: %dGiB}}}\n", name, rapid.IntRange(20, 40).Draw(t, "size"))
			tps[name] = around(float64(rapid.IntRange(1, 6).Draw(t, "thousand TPS")) * 1000)
		}
		e, _, err := decode.Parse("test.yaml", []byte("name: test\nworkloads: [tpcb-like]\nclients: 1\nrepeats: 8\nenvironments:\n"+environments.String()), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSheet(e, measured(e, tps), books, false)
		if err != nil {
			t.Fatal(err)
		}
		month := map[string]float64{}
		for _, r := range s.Rows {
			month[r.Environment] = float64(r.Month)
		}
		for _, c := range s.Fronts[0].Choices {
			for other := range tps {
				beats := month[other] <= month[c.Environment] && tps[other][0] > tps[c.Environment][0]
				if beats && c.Standing == OnFront {
					t.Fatalf("%s is on the front, though %s costs %g instead of %g and does more", c.Environment, other, month[other], month[c.Environment])
				}
			}
		}
	})
}

// TestCurrencies: prices in two currencies are not compared.
func TestCurrencies(t *testing.T) {
	s := &Sheet{}
	for _, currency := range []string{"USD", "EUR"} {
		s.Environments = append(s.Environments, Environment{Name: "in-" + currency, Bill: &Bill{Bill: price.Bill{Currency: currency}}})
	}
	if err := s.alike(); err == nil || !strings.Contains(err.Error(), "the prices of in-USD are in USD, those of in-EUR in EUR") {
		t.Error(err)
	}
}

// TestUtilisation: a load that is there for half of the month costs twice as much per transaction.
func TestUtilisation(t *testing.T) {
	const volume = "storage: {data: {emulate: gp3}}"
	s := sheet(t, "  all: {"+volume+"}\n  half: {"+volume+", cost: {utilisation: 50%}}\n", map[string][]float64{"all": around(1000), "half": around(1000)})
	if all, half := s.Rows[0].Million, s.Rows[1].Million; math.Abs(half.Value/all.Value-2) > 1e-9 {
		t.Errorf("%+v, %+v", all, half)
	}
}

// addCell adds a cell of 4 clients, with four times the TPS, in the first repeats.
func addCell(rec *record.Record, repeats int) {
	for _, run := range rec.Runs[:repeats] {
		run.Clients = 4
		run.Result.TPS *= 4
		rec.Runs = append(rec.Runs, run)
	}
}

// TestCells: a row for each cell, or for each workload over all cells.
func TestCells(t *testing.T) {
	e := parse(t, "  a: {storage: {data: {emulate: gp3}}}\n")
	rec := measured(e, map[string][]float64{"a": around(1000)})
	addCell(rec, 8)
	for cells, want := range map[bool][]float64{false: {2000}, true: {1000, 4000}} {
		s, err := NewSheet(e, rec, testBooks(t), cells)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, r := range s.Rows {
			got = append(got, math.Round(r.TPS.Value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("cells %v: %v, want %v", cells, got, want)
		}
	}
}

// TestPartOfARepeat: a repeat of which a cell is missing is not in the mean over the cells.
func TestPartOfARepeat(t *testing.T) {
	e := parse(t, "  a: {storage: {data: {emulate: gp3}}}\n")
	rec := measured(e, map[string][]float64{"a": around(1000)})
	addCell(rec, 6)
	s, err := NewSheet(e, rec, testBooks(t), false)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Rows[0].TPS; r.N != 6 || math.Abs(r.Value-2000) > 10 || !slices.Contains(s.Notes, "a, tpcb-like: 2 repeats not included, as not all cells are complete") {
		t.Errorf("%+v, %q", r, s.Notes)
	}
}

// TestNoPrice: what costs nothing can be written as JSON.
func TestNoPrice(t *testing.T) {
	s := sheet(t, three, map[string][]float64{"slow": around(1000), "fast": around(3000), "dear": around(3010)})
	free := &s.Rows[0]
	free.Month, free.Million, free.PerMoney, free.Thousand = 0, Range{}, Range{}, Range{}
	free.price(720, 1)
	if !free.Million.Known() || free.PerMoney.Known() || len(s.Evens()) != 0 {
		t.Errorf("%+v, %+v", free, s.Evens())
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// TestDisk compares prices of disks with values calculated by hand.
func TestDisk(t *testing.T) {
	b := testBooks(t).Own
	configure := func(name string, o device.Options) device.Device {
		d, err := device.Configure(name, o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	gp3 := configure("gp3", device.Options{})
	for name, test := range map[string]struct {
		device device.Device
		size   unit.Size
		want   float64
	}{
		"gp3":                  {gp3, 500 * unit.GiB, 40},
		"with more IOPS":       {configure("gp3", device.Options{IOPS: 6000}), 500 * unit.GiB, 55},
		"RAID 10 of eight":     {device.Device{Name: "raid", Array: &device.Array{Level: 10, Members: 8, Of: &gp3}}, 200 * unit.GiB, 32},
		"RAID 0 of two":        {device.Device{Name: "raid", Array: &device.Array{Level: 0, Members: 2, Of: &gp3}}, 200 * unit.GiB, 16},
		"RAID 1 of two":        {device.Device{Name: "raid", Array: &device.Array{Level: 1, Members: 2, Of: &gp3}}, 200 * unit.GiB, 32},
		"less than is offered": {gp3, 1 << 20, 0.08},
		"a local drive":        {configure("local-nvme", device.Options{}), 500 * unit.GiB, math.NaN()},
	} {
		if got := float64(Disk(b, b.Regions["here"], test.device, test.size)); math.Abs(got-test.want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}
