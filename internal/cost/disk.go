package cost

import (
	"plinth/internal/device"
	"plinth/internal/price"
	"plinth/internal/unit"
)

// Disk returns what a disk of a size costs a month, if it is one of the volumes of a price book, or an array of
// them: an array pays for each of its members, and a mirrored one for each copy. Volumes are no smaller than
// the vendor offers. The amount is unknown for other disks.
func Disk(b *price.Book, r *price.Region, d device.Device, size unit.Size) price.Amount {
	one, count, copies := d.Member(), 1, 1
	if a := d.Array; a != nil {
		count = a.Members
		copies = map[int]int{0: 1, 1: a.Members, 10: 2}[a.Level]
	}
	volume, priced := r.Volumes[tariffs[one.Name]]
	if !priced {
		return price.Unknown
	}
	each := float64(size) * float64(copies) / float64(count)
	if e, err := device.Find(one.Name); err == nil {
		each = max(each, float64(e.Offer.LeastSize))
	}
	bought := price.Size{Count: count, GB: each / float64(unit.GiB)}
	if len(volume.IOPS) > 0 {
		bought.IOPS = one.IOPS.Rate
	}
	if len(volume.Throughput) > 0 {
		bought.Throughput = mebibytes(one.Throughput.Rate)
	}
	return price.Bill{Items: volume.Items(b, bought)}.Month()
}
