package device

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

func TestConfigure(t *testing.T) {
	mib := mebibytes
	for _, c := range []struct {
		name    string
		options Options
		check   func(d Device) bool
	}{
		{"gp3", Options{}, func(d Device) bool { return d == gp3().Device }},
		{"gp3", Options{IOPS: 6000, Throughput: mib(250)}, func(d Device) bool { return d.IOPS.Rate == 6000 && d.Throughput.Rate == mib(250) }},
		{"gp3", Options{IOPS: 16000, Throughput: mib(1000)}, func(d Device) bool { return d.IOPS.Rate == 16000 }},
		{"gp3", Options{IOPS: 3000, Provisioned: unit.GiB}, func(d Device) bool { return d.IOPS.Rate == 3000 }},
		{"gp3", Options{Latency: micros(600)}, func(d Device) bool {
			return d.Read.Median == micros(600) && d.Write.Median == micros(600) && near(float64(d.Write.P99), 600e3*3.1/1.8, 1e-6)
		}},
		{"gp3", Options{WriteCache: "yes"}, func(d Device) bool { return d.WriteCache && d.Flush == d.Write }},
		{"gp3-burst", Options{Throughput: mib(150)}, func(d Device) bool { return d.Throughput.BurstRate == mib(250) }},
		{"gp3-burst", Options{Throughput: mib(300)}, func(d Device) bool { return d.Throughput == FlowLimit{Rate: mib(300)} }},
		{"gp2", Options{}, func(d Device) bool { return d.IOPS == Limit{1500, 3000, 5.4e6} && d.IOPS.Lasts() == time.Hour }},
		{"gp2", Options{Provisioned: 10 * unit.GiB}, func(d Device) bool { return d.IOPS.Rate == 100 && d.Throughput.Rate == mib(128) }},
		{"gp2", Options{Provisioned: unit.TiB}, func(d Device) bool { return d.IOPS == Limit{Rate: 3072} && d.Throughput.Rate == mib(250) }},
		{"gp2", Options{Provisioned: 16 * unit.TiB}, func(d Device) bool { return d.IOPS == Limit{Rate: 16000} }},
		{"io1", Options{}, func(d Device) bool { return d.Throughput.Rate == mib(500) }},
		{"io1", Options{IOPS: 1000}, func(d Device) bool { return d.Throughput.Rate == mib(250) }},
		{"io2", Options{IOPS: 64000}, func(d Device) bool { return d.Throughput.Rate == mib(1000) }},
		{"io2", Options{IOPS: 20000}, func(d Device) bool { return d.IOPS.Rate == 20000 && d.Throughput.Rate == mib(500) }},
		{"io2-block-express", Options{IOPS: 256000}, func(d Device) bool { return d.Throughput.Rate == mib(4000) }},
		{"io2-block-express", Options{IOPS: 8000}, func(d Device) bool { return d.Throughput.Rate == mib(2000) }},
		{"st1", Options{Provisioned: unit.TiB}, func(d Device) bool { return d.Throughput == FlowLimit{mib(40), mib(250), unit.TiB} }},
		{"st1", Options{Provisioned: 16 * unit.TiB}, func(d Device) bool { return d.Throughput.Rate == mib(500) && d.Throughput.BurstRate == mib(500) }},
		{"sc1", Options{Provisioned: 16 * unit.TiB}, func(d Device) bool { return d.Throughput.Rate == mib(192) && d.Throughput.BurstRate == mib(250) }},
		{"longhorn-2r", Options{RoundTrip: micros(500)}, func(d Device) bool { return d.RoundTrip.Median == micros(500) && d.RoundTrip.P99 == micros(1111.111) }},
		{"sata-ssd", Options{WriteCache: "no"}, func(d Device) bool { return !d.WriteCache && d.Flush == Latency{} }},
		{"sata-ssd", Options{WriteCache: "yes"}, func(d Device) bool { return d.Flush == sataSSD().Device.Flush }},
		{"local-nvme", Options{IOPS: 5, Throughput: 7}, func(d Device) bool { return d.IOPS.Rate == 5 && d.Throughput.Rate == 7 }},
		{"pass-through", Options{Latency: micros(50)}, func(d Device) bool { return d.Write == Latency{micros(50), 0} && d.Adds() }},
	} {
		d, err := Configure(c.name, c.options)
		if err != nil || !c.check(d) {
			t.Errorf("%s %+v: %v\n%s", c.name, c.options, err, d.YAML())
		}
	}
}

// TestConfigureRefuses, and names what may be asked for.
func TestConfigureRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"gp4", Options{}, `there is no device "gp4" | did you mean gp2 or gp3? plinth devices lists them`},
		{"gp3", Options{IOPS: 2999}, "iops: 2,999: gp3 can have 3,000 to 16,000"},
		{"gp3", Options{IOPS: 16001}, "iops: 16,001: gp3 can have 3,000 to 16,000"},
		{"gp3", Options{IOPS: math.NaN()}, "iops: NaN is not a number of operations"},
		{"gp3", Options{IOPS: -1}, "iops: -1 is not a number of operations"},
		{"gp3", Options{Throughput: 1}, "throughput: 1B/s: gp3 can have 125MiB/s to 1000MiB/s"},
		{"gp3", Options{Throughput: mebibytes(1001)}, "throughput: 1001MiB/s: gp3 can have 125MiB/s to 1000MiB/s"},
		{"gp3", Options{Throughput: mebibytes(1000)}, "throughput: 1000MiB/s with 3,000 IOPS: gp3 has at most 256KiB per IOPS, 750MiB/s in total | set iops: 4,000"},
		{"gp3", Options{Throughput: unit.Rate(math.NaN())}, "throughput: NaN is not a rate"},
		{"gp3", Options{IOPS: 16000, Provisioned: 20 * unit.GiB}, "iops: 16,000 with 20GiB: gp3 has at most 500 per GiB, 10,000 in total | set provisioned: 32GiB, or iops: 10000"},
		{"gp3", Options{Provisioned: 17 * unit.TiB}, "provisioned: 17TiB: gp3 can have 1GiB to 16TiB"},
		{"gp3", Options{RoundTrip: 1}, "round_trip: gp3 has no replicas in the model | set latency: for reads and writes, or choose a device with replicas, such as longhorn-1r"},
		{"gp3", Options{WriteCache: "maybe"}, `write_cache: unknown value "maybe" | use yes or no`},
		{"gp3", Options{Latency: -1}, "latency: -1ns is negative"},
		{"longhorn-1r", Options{RoundTrip: -1}, "round_trip: -1ns is negative"},
		{"gp3", Options{Latency: micros(1e9)}, "read.median is 16m40s: it can be at most 60s"},
		{"gp2", Options{IOPS: 5000}, "iops: gp2 derives its IOPS from its size | set its size with provisioned:"},
		{"gp2", Options{Throughput: mebibytes(200)}, "throughput: gp2 derives its throughput from its IOPS or its size | leave it out"},
		{"io1", Options{IOPS: 64000}, "iops: 64,000 with 500GiB: io1 has at most 50 per GiB, 25,000 in total | set provisioned: 1280GiB, or iops: 25000"},
		{"io2", Options{IOPS: 64001}, "iops: 64,001: io2 can have 100 to 64,000"},
		{"io2", Options{Throughput: mebibytes(200)}, "throughput: io2 derives its throughput from its IOPS or its size | leave it out"},
		{"st1", Options{Provisioned: 100 * unit.GiB}, "provisioned: 100GiB: st1 can have 125GiB to 16TiB"},
		{"sas-ssd", Options{Provisioned: unit.TiB}, "provisioned: the limits of sas-ssd do not depend on its size | set iops or throughput directly"},
	} {
		_, err := Configure(c.name, c.options)
		if err == nil {
			t.Errorf("%s %+v was accepted", c.name, c.options)
			continue
		}
		got := err.Error()
		if h := hint.Of(err); h != "" {
			got += " | " + h
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %+v:\ngot  %s\nwant %s", c.name, c.options, got, c.want)
		}
	}
}
