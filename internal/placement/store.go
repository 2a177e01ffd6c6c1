package placement

import (
	"errors"
	"fmt"
	"math"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Store is a place for objects: a filesystem on one device.
type Store struct {
	Name     string        `json:"name"`
	Device   device.Device `json:"device"`
	Capacity unit.Size     `json:"capacity"` // 0: no limit
	// Tablespaces are those that are on the store now. New objects go to the first; if there is none,
	// one is created.
	Tablespaces []string `json:"tablespaces,omitempty"`
	Location    string   `json:"location,omitempty"` // an empty directory for a new tablespace
	WAL         bool     `json:"wal,omitempty"`      // the WAL is there now
	// CopyRate is the rate of a copy to or from the store, if it was measured.
	CopyRate unit.Rate `json:"copy_rate,omitempty"`
	// Refuses lists the kinds of objects that may not be placed there, such as the WAL.
	Refuses []string `json:"refuses,omitempty"`
	// Accepts, if not nil, reports whether an object may be placed there that the store does not refuse.
	Accepts func(Object) bool `json:"-"`
}

// Price returns the price of a store per month that holds so many bytes. known is false if the price
// is unknown. The price must not fall as the bytes grow.
type Price func(store Store, bytes unit.Size) (usd float64, known bool)

// check finds stores that cannot be compared.
func checkStores(stores []Store) error {
	if len(stores) == 0 {
		return errors.New("there is no store to choose from")
	}
	seen, spaces := map[string]bool{}, map[string]string{}
	for _, s := range stores {
		switch {
		case s.Name == "":
			return errors.New("a store has no name")
		case seen[s.Name]:
			return fmt.Errorf("two stores are named %s", s.Name)
		case s.Capacity < 0:
			return fmt.Errorf("the capacity of %s is negative", s.Name)
		case s.Device.MeanSeconds(device.Read) <= 0 || s.Device.MeanSeconds(device.Write) <= 0:
			return hint.Errorf("measure the disk with plinth probe, which writes a model", "the model of %s (%s) has no latencies", s.Name, s.Device.Name)
		}
		seen[s.Name] = true
		for _, t := range s.Tablespaces {
			if other := spaces[t]; other != "" {
				return fmt.Errorf("tablespace %s is on two stores: %s and %s", t, other, s.Name)
			}
			spaces[t] = s.Name
		}
	}
	return nil
}

// Share of a limit that may be used. Waiting times grow without bound as the use of a device
// approaches its limit, and a filesystem needs free space.
const (
	ShareOfRate     = unit.Share(0.8)
	ShareOfCapacity = unit.Share(0.8)
)

// figures determine the cost of an object on a store, in seconds and per second; 0 for no limit.
type figures struct {
	read, write, flush float64 // one operation of 8 KiB
	transfer           float64 // bytes a second of a longer operation
	operation          float64 // bytes that count as one operation
	reads, writes      float64 // operations a second
	throughput         float64
	depth              float64 // operations at once
}

// figuresOf returns the figures of a device without bursts; an array's are those of
// device.Ideal.
func figuresOf(d device.Device) figures {
	one, stripes, copies := d.Member(), 1.0, 1.0
	if a := d.Array; a != nil {
		stripes = float64(a.Members)
		switch a.Level {
		case 1:
			copies, stripes = stripes, 1
		case 10:
			copies, stripes = 2, stripes/2
		}
	}
	transfer := float64(one.Transfer)
	if transfer == 0 {
		transfer = one.Throughput.Limit().Peak()
	}
	return figures{
		read: d.MeanSeconds(device.Read), write: d.MeanSeconds(device.Write), flush: d.MeanSeconds(device.Flush),
		transfer: transfer, operation: float64(one.OperationSize),
		reads: one.IOPS.Rate * stripes * copies, writes: one.IOPS.Rate * stripes,
		throughput: float64(one.Throughput.Rate) * stripes, depth: float64(one.QueueDepth) * stripes * copies,
	}
}

// Demand holds the operations, bytes and time that objects need of a device.
type Demand struct {
	Size       unit.Size `json:"size"`
	Reads      float64   `json:"reads_s"` // operations as the device counts them
	Writes     float64   `json:"writes_s"`
	Bytes      float64   `json:"bytes_s"`
	DeviceTime float64   `json:"device_time_s"` // seconds of device time a second
}

func (d *Demand) add(o Demand, sign float64) {
	d.Size += unit.Size(sign) * o.Size
	d.Reads += sign * o.Reads
	d.Writes += sign * o.Writes
	d.Bytes += sign * o.Bytes
	d.DeviceTime += sign * o.DeviceTime
}

// demand returns what an object needs of a device.
func (f figures) demand(o Object) Demand {
	size := max(float64(o.Operation), 1)
	more := 0.0
	if f.transfer > 0 {
		more = max(0, size-float64(device.PageSize)) / f.transfer
	}
	counted := 1.0
	if f.operation > 0 {
		counted = math.Ceil(size / f.operation)
	}
	writes := o.Writes.Likely + o.Durable.Likely
	return Demand{
		Size: o.Size, Reads: o.Reads * counted, Writes: writes * counted, Bytes: (o.Reads + writes) * size,
		DeviceTime: o.Reads*(f.read+more) + writes*(f.write+more) + o.Durable.Likely*f.flush,
	}
}

// Use is how much of each limit of a store is used: 1 is the limit itself. 0 if there is no limit.
type Use struct {
	Capacity   float64 `json:"capacity"`
	IOPS       float64 `json:"iops"`
	Throughput float64 `json:"throughput"`
	Queue      float64 `json:"queue"`
}

func (f figures) use(d Demand, capacity unit.Size) Use {
	part := func(used, of float64) float64 {
		if of <= 0 {
			return 0
		}
		return used / of
	}
	return Use{
		part(float64(d.Size), float64(capacity)), part(d.Reads, f.reads) + part(d.Writes, f.writes),
		part(d.Bytes, f.throughput), part(d.DeviceTime, f.depth),
	}
}

// excess returns by how much the uses exceed their shares, added up; 0 if none does.
func (u Use) excess() float64 {
	sum := max(0, u.Capacity/float64(ShareOfCapacity)-1)
	for _, used := range []float64{u.IOPS, u.Throughput, u.Queue} {
		sum += max(0, used/float64(ShareOfRate)-1)
	}
	return sum
}
