package cost

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/price"
)

// tariffs are the types of volumes of a price book, by the devices of the catalog that stand for them.
var tariffs = map[string]string{
	"gp2": "gp2", "gp3": "gp3", "gp3-burst": "gp3", "io1": "io1", "io2": "io2", "io2-block-express": "io2", "st1": "st1", "sc1": "sc1",
}

// drives are the devices of the catalog that are local drives of a machine.
var drives = map[string]bool{"local-nvme": true, "pass-through": true, "sas-ssd": true, "sata-ssd": true}

// paid is one volume of the storage, or several equal ones, as far as the file says what it is.
type paid struct {
	role, kind string // kind: type in the price book
	local      bool   // a drive of the machine
	why        string // it is not known
	size       price.Size
	assumed    string
}

// volumes adds the volumes that the file states, or else those of the storage, and those of the replica.
func (b *billing) volumes() error {
	derived := b.derived(b.env.Storage, "")
	derived = append(derived, b.derived(b.env.Replica.Storage, "replica ")...)
	if b.env.Connect != "" && len(b.cost.Volumes) == 0 && len(derived) == 0 && b.service() != "" {
		b.unknown("storage", "its volumes are not stated: cost: {volumes: [{type: gp3, size: 400GiB}]}")
		return nil
	}
	if len(b.cost.Volumes) > 0 {
		for _, p := range derived {
			if !slices.ContainsFunc(b.cost.Volumes, func(v experiment.CostVolume) bool { return v.For == p.role || v.For == "" }) {
				b.assume(p.role + ": nothing is paid for it, since cost.volumes does not list it")
			}
		}
		derived = b.stated(derived)
	}
	tariff := b.region.Volumes
	if service := b.service(); service != "" {
		tariff = b.region.Databases[service].Volumes
	}
	for _, p := range derived {
		b.volume(p, tariff)
	}
	return nil
}

// volume adds one volume.
func (b *billing) volume(p paid, tariff map[string]price.Volume) {
	v, priced := tariff[p.kind]
	switch {
	case p.kind == "" && p.local && (b.cost.Premises.There() || b.local()):
		b.Items = append(b.Items, price.Item{What: p.role + ": local drive", Unit: "drive", Quantity: 1, Note: "part of the machine"})
		return
	case p.kind == "":
		if b.cost.Premises.There() {
			return
		}
		b.unknown(p.role, p.why)
		return
	case !priced:
		b.unknown(p.role+": "+p.kind, fmt.Sprintf("the price book has no volume %s in this region", p.kind))
		return
	}
	if p.assumed != "" {
		b.assume(p.role + ": " + p.assumed)
	}
	p.size.What = p.role + ": " + p.kind
	p.size.IOs = b.cost.IOs
	b.Items = append(b.Items, v.Items(b.book, p.size)...)
}

// derived returns the volumes of a storage.
func (b *billing) derived(s experiment.Storage, prefix string) []paid {
	names := []string{experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp} // in the order of Volumes
	for _, t := range s.Tablespaces {
		names = append(names, t.Name)
	}
	var all []paid
	for i, v := range s.Volumes() {
		if !v.Given() {
			continue
		}
		all = append(all, b.parts(*v, prefix+names[i])...)
	}
	return all
}

// parts returns the disks of a volume: one entry for equal members of an array.
func (b *billing) parts(v experiment.Volume, role string) []paid {
	if v.Class != "" {
		p := paid{role: role, kind: b.cost.Classes[v.Class], why: fmt.Sprintf("the file does not say what is behind the storage class %s; add cost: {classes: {%s: gp3}}", v.Class, v.Class)}
		p.size.GB = gigabytes(v.Size)
		return []paid{p}
	}
	if len(v.Members) == 0 {
		return []paid{b.disk(v.Disk, role)}
	}
	var all []paid
	for _, m := range v.Members {
		p := b.disk(m, role)
		if last := len(all) - 1; last >= 0 && all[last].kind == p.kind && all[last].size.GB == p.size.GB && all[last].size.IOPS == p.size.IOPS && all[last].size.Throughput == p.size.Throughput {
			all[last].size.Count++
			continue
		}
		p.size.Count = 1
		all = append(all, p)
	}
	return all
}

// disk returns what the file says of one disk.
func (b *billing) disk(d experiment.Disk, role string) paid {
	model := d.Emulate
	if !d.Emulated() {
		model = d.Is
	}
	name, count := cmp.Or(model.Name, model.Of), max(1, model.Members)
	p := paid{role: role, kind: tariffs[name], local: drives[name], why: "the file does not say what disk it is; add storage: {data: {is: gp3}}, or cost: {volumes: [...]}, with all volumes that are paid for"}
	if name != "" && p.kind == "" && !p.local {
		p.why = fmt.Sprintf("%s has no price; add cost: {volumes: [{for: %s, type: gp3, size: 500GiB}]}, and in the list all others that are paid for", name, role)
	}
	if p.kind == "" {
		return p
	}
	each := gigabytes(d.Provisioned)
	if each == 0 { // Size is that of the whole array, as the filesystem sees it
		copies := map[string]int{"1": count, "10": 2}[model.RAID]
		each = gigabytes(d.Size) * float64(max(1, copies)) / float64(count)
	}
	p.size = price.Size{Count: count, GB: each, IOPS: d.IOPS, Throughput: mebibytes(d.Throughput)}
	entry, err := device.Find(name)
	if err != nil {
		return p
	}
	if p.size.GB == 0 {
		p.size.GB = gigabytes(entry.Offer.Size)
		p.assumed = fmt.Sprintf("a volume of %s, as in the catalog of devices", entry.Offer.Size)
	}
	if p.size.IOPS == 0 && (p.kind == "io1" || p.kind == "io2") {
		p.size.IOPS = entry.Device.IOPS.Rate
	}
	return p
}

// stated returns the volumes that the file lists. What one of them lacks is that of the storage with the
// same role.
func (b *billing) stated(derived []paid) []paid {
	var all []paid
	for _, v := range b.cost.Volumes {
		p := paid{role: cmp.Or(v.For, "volume")}
		for _, d := range derived {
			if d.role == v.For {
				p = d
				break
			}
		}
		if v.Type != "" && v.Type != p.kind {
			p = paid{role: p.role, kind: v.Type}
		}
		if v.Size > 0 {
			p.size.GB, p.assumed = gigabytes(v.Size), ""
		}
		p.size.Count = cmp.Or(v.Count, p.size.Count)
		p.size.IOPS = cmp.Or(v.IOPS, p.size.IOPS)
		p.size.Throughput = cmp.Or(mebibytes(v.Throughput), p.size.Throughput)
		all = append(all, p)
	}
	return all
}
