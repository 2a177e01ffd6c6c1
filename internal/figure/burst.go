package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/device"
	"plinth/internal/record"
)

// Bursts returns how a run used the bursts of its volumes: those of emulated devices, of disks whose
// model the experiment declares, and of a declared instance on all of its EBS volumes together. A
// declared disk's or instance's bucket is assumed to be full when the load begins: its real fill level
// is not visible.
func Bursts(in Input) (all []record.Burst) {
	if in.Environment.Elsewhere {
		return nil
	}
	seconds := columnOf(in.Points, "second")
	for _, v := range in.Environment.Volumes {
		switch {
		case v.Emulation != nil:
			for _, b := range bucketsOf(v.Emulation.Model) {
				used, balances := columnsOf(in.Points, v.Role, b.used), columnsOf(in.Points, v.Role, b.balance)
				sum := sumOf(in.Points, used)
				scaled(sum, b.rate/float64(max(1, len(used)))) // each is in units of its own rate
				if burst, known := b.follow(v.Role, seconds, sum); known {
					for _, name := range balances {
						if at := emptied(seconds, columnOf(in.Points, name)); at != nil && (burst.Ended == nil || *at < *burst.Ended) {
							burst.Ended = at // the first member that is empty limits the array
						}
					}
					all = append(all, burst)
				}
			}
		case v.Is != nil:
			disks := record.DevicesOf(in.Environment.Volumes, v.Role)
			for _, b := range bucketsOf(v.Is.Model) {
				used := b.usedOf(in.Points, disks, v.Is.Model.Copies())
				if burst, known := b.follow(v.Role, seconds, used); known {
					all = append(all, burst)
				}
			}
		}
	}
	return append(all, instanceBursts(in, seconds)...)
}

// instanceBursts returns how a run used the bursts of its declared instance. What the EBS volumes do
// not use of the sustained rate refills the bucket: AWS promises 30 minutes at the maximum in 24 hours,
// and at that rate the bucket of the smallest types takes just under 24 hours to fill.
func instanceBursts(in Input, seconds []float64) (all []record.Burst) {
	i := in.Environment.Instance
	if i == nil {
		return nil
	}
	for _, b := range []burstBucket{
		{limit: "iops", rate: i.IOPS, size: (i.BurstIOPS - i.IOPS) * i.Burst, reads: "reads", writes: "writes"},
		{limit: "throughput", rate: i.Throughput, size: (i.BurstThroughput - i.Throughput) * i.Burst, reads: "read_bytes", writes: "write_bytes"},
	} {
		if b.size <= 0 {
			continue
		}
		used := make([]float64, len(seconds))
		var counted []string // a disk can store several roles
		for _, v := range in.Environment.Volumes {
			disks := record.DevicesOf(in.Environment.Volumes, v.Role)
			if v.Is == nil || !v.Is.Model.OfEBS() || slices.ContainsFunc(disks, func(d string) bool { return slices.Contains(counted, d) }) {
				continue
			}
			used = added(used, b.usedOf(in.Points, disks, v.Is.Model.Copies()))
			counted = append(counted, disks...)
		}
		if len(counted) == 0 {
			return nil
		}
		if burst, known := b.follow(record.InstanceBurst, seconds, used); known {
			all = append(all, burst)
		}
	}
	return all
}

// burstBucket is a bucket of a model: that of a whole array is the sum of its members'.
type burstBucket struct {
	limit         string  // "iops", "throughput"
	rate          float64 // sustained, per second; it also refills the bucket
	size          float64 // operations or bytes
	used, balance string  // columns of the emulator
	reads, writes string  // columns of diskstats
}

// bucketsOf returns the buckets of a model that bursts.
func bucketsOf(m device.Device) (all []burstBucket) {
	one, members := m.Member(), 1.0
	if m.Array != nil {
		members = float64(m.Array.Members)
	}
	if l := one.IOPS; l.Burst > 0 {
		all = append(all, burstBucket{"iops", l.Rate * members, l.Burst * members, "iops_used", "iops_balance", "reads", "writes"})
	}
	if l := one.Throughput.Limit(); l.Burst > 0 {
		all = append(all, burstBucket{"throughput", l.Rate * members, l.Burst * members, "throughput_used", "throughput_balance", "read_bytes", "write_bytes"})
	}
	return all
}

// usedOf returns what disks took from the bucket in each second: each copy of a write takes from a
// member's.
func (b burstBucket) usedOf(points record.Points, disks []string, copies int) []float64 {
	used := sumOf(points, of(disks, b.reads))
	for range copies {
		used = added(used, sumOf(points, of(disks, b.writes)))
	}
	return used
}

// follow empties the bucket by what was used in each second, and refills it at the sustained rate. It
// returns false if nothing is known of the use. A second that is not known counts as the one before.
func (b burstBucket) follow(role string, seconds, used []float64) (record.Burst, bool) {
	burst := record.Burst{Volume: role, Limit: b.limit}
	left, last, known := b.size, math.NaN(), false
	for i := range min(len(seconds), len(used)) {
		if !math.IsNaN(used[i]) {
			last, known = used[i], true
		}
		if math.IsNaN(last) {
			continue
		}
		net := last - b.rate
		if burst.Expected == nil && net > 0 && left-net <= spent*b.size {
			at := seconds[i] + min(left/net, 1)
			burst.Expected = &at
		}
		left = min(max(left-net, 0), b.size)
	}
	burst.Left = left / b.size
	return burst, known
}

// spent is the share of a bucket that counts as nothing: what a load does before the first reading, and
// what a reading misses, is not known, and an empty bucket lets no more through than refills it.
const spent = 0.05

// empty is the fill level below which a bucket no longer permits a burst.
const empty = 0.005

// emptied returns the end of the first second at whose end a bucket was empty; nil if it never was.
func emptied(seconds, balance []float64) *float64 {
	for i := range min(len(seconds), len(balance)) {
		if balance[i] < empty {
			at := seconds[i] + 1
			return &at
		}
	}
	return nil
}

func scaled(values []float64, by float64) {
	for i := range values {
		values[i] *= by
	}
}

// emulatorOf returns how the columns of the emulator of a role begin; those of an array's members are numbered.
func emulatorOf(role string) string { return "emulator." + strings.ReplaceAll(role, " ", "-") }

// columnsOf returns the names of a column of a volume's emulators: one, or one for each member of an md array.
func columnsOf(points record.Points, role, column string) (names []string) {
	one := emulatorOf(role)
	for _, c := range points.Columns {
		device, is := strings.CutSuffix(c.Name, "."+column)
		number, isMember := strings.CutPrefix(device, one+"-")
		if _, err := strconv.Atoi(number); is && (device == one || isMember && err == nil) {
			names = append(names, c.Name)
		}
	}
	return names
}

// columnOf returns a copy of a column of points, warm-up included; nil if it does not exist.
func columnOf(points record.Points, name string) []float64 {
	for _, c := range points.Columns {
		if c.Name == name {
			return slices.Clone(c.Values)
		}
	}
	return nil
}

// sumOf returns the sum of columns, second by second; NaN where one is not known, and nil if one does
// not exist.
func sumOf(points record.Points, names []string) []float64 {
	if len(names) == 0 {
		return nil
	}
	sum := columnOf(points, names[0])
	for _, name := range names[1:] {
		sum = added(sum, columnOf(points, name))
	}
	return sum
}

// added adds values to sum; nil if one of the two is unknown.
func added(sum, values []float64) []float64 {
	if sum == nil || values == nil {
		return nil
	}
	for i := range min(len(sum), len(values)) {
		sum[i] += values[i]
	}
	return sum
}
