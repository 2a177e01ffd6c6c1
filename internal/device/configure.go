package device

import (
	"fmt"
	"math"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// Configure returns a device of the catalog with the changes in o. They must be within
// the range that the vendor offers; the error gives that range.
func Configure(name string, o Options) (Device, error) {
	e, err := Find(name)
	if err != nil {
		return Device{}, err
	}
	d := e.Device
	for _, apply := range []func(*Device, Options, Offer) error{
		setSize, setIOPS, followed, setThroughput, setLatency, setRoundTrip, setWriteCache,
	} {
		if err := apply(&d, o, e.Offer); err != nil {
			return Device{}, err
		}
	}
	return d, d.Check()
}

func setSize(d *Device, o Options, offer Offer) error {
	switch {
	case o.Provisioned == 0:
		return nil
	case !offer.Priced:
		return hint.Errorf("set iops or throughput directly", "provisioned: the limits of %s do not depend on its size", d.Name)
	case o.Provisioned < offer.LeastSize || o.Provisioned > offer.MostSize:
		return outside("provisioned", d.Name, o.Provisioned.Exact(), offer.LeastSize.Exact(), offer.MostSize.Exact())
	}
	return nil
}

func setIOPS(d *Device, o Options, offer Offer) error {
	iops := o.IOPS
	if iops == 0 {
		iops = d.IOPS.Rate
	}
	size := max(o.Provisioned, 0)
	if size == 0 {
		size = offer.Size
	}
	most := offer.IOPSPerGiB * float64(size) / float64(unit.GiB)
	switch {
	case math.IsNaN(iops) || iops < 0:
		return fmt.Errorf("iops: %v is not a number of operations", o.IOPS)
	case o.IOPS != 0 && offer.Priced && offer.MostIOPS == 0:
		return hint.Errorf("set its size with provisioned:", "iops: %s derives its IOPS from its size", d.Name)
	case offer.MostIOPS > 0 && (iops < offer.LeastIOPS || iops > offer.MostIOPS):
		return outside("iops", d.Name, number(iops), number(offer.LeastIOPS), number(offer.MostIOPS))
	case offer.IOPSPerGiB > 0 && iops > most && iops > offer.LeastIOPS:
		return hint.Errorf(fmt.Sprintf("set provisioned: %s, or iops: %.0f", atLeast(iops/offer.IOPSPerGiB), max(most, offer.LeastIOPS)),
			"iops: %s with %s: %s has at most %s per GiB, %s in total", number(iops), size.Exact(), d.Name, number(offer.IOPSPerGiB), number(most))
	}
	if o.IOPS != 0 {
		d.IOPS = Limit{Rate: o.IOPS}
	}
	return nil
}

func followed(d *Device, o Options, offer Offer) error {
	if offer.follow != nil && (o.IOPS != 0 || o.Provisioned != 0) {
		size := o.Provisioned
		if size == 0 {
			size = offer.Size
		}
		offer.follow(d, size)
	}
	return nil
}

func setThroughput(d *Device, o Options, offer Offer) error {
	rate, most := o.Throughput, unit.Rate(d.IOPS.Rate*float64(offer.BytesPerIOPS))
	switch {
	case rate == 0:
		return nil
	case math.IsNaN(float64(rate)) || rate < 0:
		return fmt.Errorf("throughput: %v is not a rate", float64(rate))
	case offer.Priced && offer.MostThroughput == 0:
		return hint.Errorf("leave it out", "throughput: %s derives its throughput from its IOPS or its size", d.Name)
	case offer.Priced && (rate < offer.LeastThroughput || rate > offer.MostThroughput):
		return outside("throughput", d.Name, rate.String(), offer.LeastThroughput.String(), offer.MostThroughput.String())
	case offer.BytesPerIOPS > 0 && rate > most:
		return hint.Errorf(fmt.Sprintf("set iops: %s", number(math.Ceil(float64(rate)/float64(offer.BytesPerIOPS)))),
			"throughput: %s with %s IOPS: %s has at most %s per IOPS, %s in total", rate, number(d.IOPS.Rate), d.Name, offer.BytesPerIOPS.Exact(), most)
	}
	d.Throughput.Rate = rate
	if d.Throughput.BurstRate <= rate { // the sustained rate now covers the burst
		d.Throughput = FlowLimit{Rate: rate}
	}
	return nil
}

func setLatency(d *Device, o Options, _ Offer) error {
	switch {
	case o.Latency < 0:
		return fmt.Errorf("latency: %s is negative", o.Latency)
	case o.Latency > 0:
		d.Read, d.Write = d.Read.withMedian(o.Latency), d.Write.withMedian(o.Latency)
	}
	return nil
}

func setRoundTrip(d *Device, o Options, _ Offer) error {
	switch {
	case o.RoundTrip < 0:
		return fmt.Errorf("round_trip: %s is negative", o.RoundTrip)
	case o.RoundTrip > 0 && d.Replicas == 0:
		return hint.Errorf("set latency: for reads and writes, or choose a device with replicas, such as longhorn-1r", "round_trip: %s has no replicas in the model", d.Name)
	case o.RoundTrip > 0:
		d.RoundTrip = d.RoundTrip.withMedian(o.RoundTrip)
	}
	return nil
}

// setWriteCache adds or removes a volatile write cache. Where the catalog has no flush
// latency, a flush takes as long as a write.
func setWriteCache(d *Device, o Options, _ Offer) error {
	switch o.WriteCache {
	case "":
	case "yes":
		if !d.WriteCache {
			d.WriteCache, d.Flush = true, d.Write
		}
	case "no":
		d.WriteCache, d.Flush = false, Latency{}
	default:
		return hint.Errorf("use yes or no", "write_cache: unknown value %q", strictyaml.Shorten(o.WriteCache))
	}
	return nil
}

// withMedian returns l with another median and the p99 scaled in proportion.
func (l Latency) withMedian(median unit.Duration) Latency {
	if l.Median == 0 {
		return Latency{Median: median}
	}
	moved := l.Scaled(float64(median) / float64(l.Median))
	moved.Median = median
	return moved
}

func outside(key, name, is, least, most string) error {
	return fmt.Errorf("%s: %s: %s can have %s to %s", key, is, name, least, most)
}

// number formats n without decimals, with commas between the thousands.
func number(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

func atLeast(gib float64) string { return (unit.Size(math.Ceil(gib)) * unit.GiB).Exact() }

// Options are a user's changes to a device of the catalog. A zero value changes nothing.
type Options struct {
	IOPS        float64       // provisioned
	Throughput  unit.Rate     // provisioned
	Provisioned unit.Size     // the size that determines the limits
	Latency     unit.Duration // median of reads and writes; the tails keep their ratio
	RoundTrip   unit.Duration // median to each replica; the tail keeps its ratio
	WriteCache  string        // "yes", "no", or "" for the catalog's
}

// Offer is the range within which a device can be configured. If Priced is false there
// is no range: the device has no provisioned figures.
type Offer struct {
	Priced bool `json:"priced"`
	// The sizes on offer, and the size that the catalog's figures apply to.
	LeastSize unit.Size `json:"least_size,omitempty"`
	MostSize  unit.Size `json:"most_size,omitempty"`
	Size      unit.Size `json:"size,omitempty"`
	// The IOPS that can be provisioned, at most IOPSPerGiB per GiB; 0 if the size
	// determines them.
	LeastIOPS  float64 `json:"least_iops,omitempty"`
	MostIOPS   float64 `json:"most_iops,omitempty"`
	IOPSPerGiB float64 `json:"iops_per_gib,omitempty"`
	// The throughput that can be provisioned, at most BytesPerIOPS per IOPS; 0 if IOPS
	// or size determine it.
	LeastThroughput unit.Rate `json:"least_throughput,omitempty"`
	MostThroughput  unit.Rate `json:"most_throughput,omitempty"`
	BytesPerIOPS    unit.Size `json:"bytes_per_iops,omitempty"`
	Source          Source    `json:"source,omitzero"`
	// follow sets the limits that IOPS and size determine.
	follow func(d *Device, size unit.Size)
}
