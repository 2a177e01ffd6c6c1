package layout

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// network returns the SSD volumes of EBS: for data, and for the WAL alone.
func (f *finder) network(data, wal need) ([]candidate, error) {
	fast, most := io2, 64000.0
	if f.in.instance != nil && takesBlockExpress(f.in.instance.Type) {
		fast, most = blockExpress, 256000
	}
	options := []option{
		{name: gp3, of: gp3},
		{name: gp3 + "-provisioned", of: gp3, iops: data.reads + data.writes, bytes: data.bytes, optional: true},
		{name: gp3 + "-raid10", of: gp3, iops: data.reads + 2*data.writes, bytes: data.bytes, level: 10, array: true, optional: true},
		{name: fast, of: fast, iops: data.reads + data.writes, bytes: data.bytes},
		{name: gp3 + "-wal", of: gp3, iops: wal.reads + wal.writes, bytes: wal.bytes, wal: true},
		{name: fast + "-wal", of: fast, iops: wal.reads + wal.writes, bytes: wal.bytes, wal: true},
	}
	if f.in.Standby != NoStandby { // RAID 0 loses everything with one of its volumes
		options = slices.Insert(options, 3, option{name: gp3 + "-raid0", of: gp3, iops: data.reads + data.writes, bytes: data.bytes, array: true, optional: true})
	}
	var all []candidate
	for _, o := range options {
		if o.of != gp3 {
			o.iops = min(o.iops, most)
		}
		c, offered, err := f.offer(o)
		if err != nil {
			return nil, fmt.Errorf("cannot offer %s: %w", o.name, err)
		}
		if offered {
			all = append(all, c)
		}
	}
	return all, nil
}

// option is a volume of EBS, or an array of them, that reaches so many operations and bytes a second.
// Optional: not offered if one gp3 volume does so without provisioning.
type option struct {
	name, of    string
	iops, bytes float64
	level       int // of an array
	array       bool
	wal         bool
	optional    bool
}

// Limits of one gp3 volume, and of arrays of them.
const (
	gp3IOPS     = 3000
	mostMembers = 16
	iopsStep    = 500
	bytesStep   = 25 * unit.MiB
)

func (f *finder) offer(o option) (candidate, bool, error) {
	e, err := device.Find(o.of)
	if err != nil {
		return candidate{}, false, err
	}
	included := e.Device.Throughput.Rate
	if o.optional && o.iops <= gp3IOPS && o.bytes <= float64(included) {
		return candidate{}, false, nil
	}
	members, copies := 1, 1
	if o.array {
		members, copies = o.members(float64(included))
	}
	iops := min(max(roundUp(o.iops/float64(members), iopsStep), e.Offer.LeastIOPS), e.Offer.MostIOPS)
	limits := device.Options{IOPS: iops}
	if e.Offer.MostThroughput > 0 {
		stripes := float64(members / copies)
		rate := roundUp(o.bytes/stripes, float64(bytesStep))
		limits.Throughput = unit.Rate(min(max(rate, float64(e.Offer.LeastThroughput)), float64(e.Offer.MostThroughput)))
		limits.IOPS = max(limits.IOPS, math.Ceil(float64(limits.Throughput)/float64(e.Offer.BytesPerIOPS)))
	}
	least := e.Offer.LeastSize
	if e.Offer.IOPSPerGiB > 0 {
		least = max(least, unit.Size(math.Ceil(limits.IOPS/e.Offer.IOPSPerGiB))*unit.GiB)
	}
	limits.Provisioned = max(least, e.Offer.Size)
	c := candidate{medium: onNetwork, wal: o.wal, step: oneStep}
	if o.array {
		c.step = arrayStep
	}
	c.least = multiple(least*unit.Size(members/copies), c.step)
	c.Name, c.Capacity = o.name, e.Offer.MostSize*unit.Size(members/copies)
	if c.Device, err = device.Configure(o.of, limits); err == nil && members > 1 {
		c.Device, err = device.RAID(o.level, members, 0, c.Device)
	}
	c.Accepts = f.accepted(c)
	return c, true, err
}

// members returns how many volumes an array has: the power of two that reaches the load with the IOPS
// and the throughput that the price of each includes, and 16 at most; and how many copies it keeps.
func (o option) members(included float64) (members, copies int) {
	members, copies = 2, 1
	if o.level == 10 {
		members, copies = 4, 2
	}
	need := max(o.iops/gp3IOPS, float64(copies)*o.bytes/included)
	for float64(members) < need && members < mostMembers {
		members *= 2
	}
	return members, copies
}

func roundUp(f, to float64) float64 { return math.Ceil(f/to-1e-9) * to }

// multiple rounds a size up to a multiple of a step.
func multiple(s, step unit.Size) unit.Size { return (s + step - 1) / step * step }

var generation = regexp.MustCompile(`^[a-z]+([0-9]+)`)

// takesBlockExpress reports whether a type of instance reaches the latency of io2 Block Express: R5b,
// R6i or newer ("Storage Selection for Database Workloads"); plinth takes the sixth generation of any
// family for that.
func takesBlockExpress(kind string) bool {
	digits := generation.FindStringSubmatch(kind)
	if digits == nil {
		return false
	}
	n, err := strconv.Atoi(digits[1])
	return err == nil && (n >= 6 || strings.HasPrefix(kind, "r5b."))
}
