package device

import (
	"fmt"
	"math"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// Configure is a device of the catalog with changes, within what is sold. An error
// names what may be asked for.
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
		return hint.Errorf("say iops or throughput themselves", "provisioned: nothing follows from the size of %s", d.Name)
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
		return hint.Errorf("provisioned: says how large it is", "iops: those of %s follow from its size", d.Name)
	case offer.MostIOPS > 0 && (iops < offer.LeastIOPS || iops > offer.MostIOPS):
		return outside("iops", d.Name, number(iops), number(offer.LeastIOPS), number(offer.MostIOPS))
	case offer.IOPSPerGiB > 0 && iops > most && iops > offer.LeastIOPS:
		return hint.Errorf(fmt.Sprintf("provisioned: %s would do, or iops: %.0f", atLeast(iops/offer.IOPSPerGiB), max(most, offer.LeastIOPS)),
			"iops: %s of %s: %s has at most %s for each GiB, %s in all", number(iops), size.Exact(), d.Name, number(offer.IOPSPerGiB), number(most))
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
		return hint.Errorf("leave it out", "throughput: that of %s follows from its IOPS or its size", d.Name)
	case offer.Priced && (rate < offer.LeastThroughput || rate > offer.MostThroughput):
		return outside("throughput", d.Name, rate.String(), offer.LeastThroughput.String(), offer.MostThroughput.String())
	case offer.BytesPerIOPS > 0 && rate > most:
		return hint.Errorf(fmt.Sprintf("iops: %s would do", number(math.Ceil(float64(rate)/float64(offer.BytesPerIOPS)))),
			"throughput: %s with %s IOPS: %s has at most %s of it for each, %s in all", rate, number(d.IOPS.Rate), d.Name, offer.BytesPerIOPS.Exact(), most)
	}
	d.Throughput.Rate = rate
	if d.Throughput.BurstRate <= rate { // it has for good what was a burst
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
		return hint.Errorf("latency: says how long a read or a write takes; longhorn-1r has a replica", "round_trip: %s has no replicas that the model knows", d.Name)
	case o.RoundTrip > 0:
		d.RoundTrip = d.RoundTrip.withMedian(o.RoundTrip)
	}
	return nil
}

// setWriteCache gives a cache to what has none: a flush then takes as long as a
// write, since nothing else is known of it.
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
		return hint.Errorf("yes or no", "write_cache: %q", strictyaml.Shorten(o.WriteCache))
	}
	return nil
}

// withMedian is l moved to another median, its tail in proportion.
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

// number is a number with its thousands apart.
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

// Options are what a user has different from the catalog. Zero values leave it as
// it is.
type Options struct {
	IOPS        float64       // provisioned
	Throughput  unit.Rate     // provisioned
	Provisioned unit.Size     // the size that the limits follow from
	Latency     unit.Duration // median of reads and writes; the tails keep their ratio
	RoundTrip   unit.Duration // median to each replica; the tail keeps its ratio
	WriteCache  string        // "yes", "no", or "" for the catalog's
}

// Offer is the range of figures that a device can be configured with. Without Priced
// there is no range: the device is not sold by figures.
type Offer struct {
	Priced bool `json:"priced"`
	// The sizes that are sold, and the one that the catalog's figures are of.
	LeastSize unit.Size `json:"least_size,omitempty"`
	MostSize  unit.Size `json:"most_size,omitempty"`
	Size      unit.Size `json:"size,omitempty"`
	// IOPS that may be provisioned, no more than IOPSPerGiB for each GiB; 0 where they
	// follow from the size.
	LeastIOPS  float64 `json:"least_iops,omitempty"`
	MostIOPS   float64 `json:"most_iops,omitempty"`
	IOPSPerGiB float64 `json:"iops_per_gib,omitempty"`
	// Throughput that may be provisioned, no more than BytesPerIOPS for each of the
	// IOPS; 0 where it follows from IOPS or size.
	LeastThroughput unit.Rate `json:"least_throughput,omitempty"`
	MostThroughput  unit.Rate `json:"most_throughput,omitempty"`
	BytesPerIOPS    unit.Size `json:"bytes_per_iops,omitempty"`
	Source          Source    `json:"source,omitzero"`
	// follow sets what follows from IOPS and size.
	follow func(d *Device, size unit.Size)
}
