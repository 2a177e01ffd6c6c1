package prediction

import (
	"math"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// saves refuses a disk that would slow down the child processes of Redis, and any disk if that of the reference did.
func (r *Reference) saves(q Question, to closed.System) error {
	if r.Saving == nil || q.Data == nil && q.CPUSpeed <= 1 {
		return nil
	}
	if r.System.Data.Name == "" {
		return hint.Errorf("name it in the experiment: storage: {data: {is: FILE}}", "a file was saved or rewritten on a disk that is not known")
	}
	appended := appends(r.models[0].System, r.Mean(func(r demand.Run) float64 { return r.TPS })/max(1, r.Pipeline))
	for _, on := range []struct {
		disk  device.Device
		speed float64
	}{{peak(r.System).Data, 1}, {to.Data, max(1, q.CPUSpeed)}} {
		saved := device.Used{Operations: on.speed * r.Saving.Used.Operations, Bytes: on.speed * r.Saving.Used.Bytes}
		if full(on.disk, device.Used{Operations: appended.Operations + saved.Operations, Bytes: appended.Bytes + saved.Bytes}) {
			return hint.Errorf("measure the reference without saves and rewrites",
				"while a file is saved or rewritten, %s are written, which is nearly all that %s allows, or more: how long that takes there is not in the model",
				unit.Rate(saved.Bytes), on.disk.Name)
		}
	}
	return nil
}

// appends returns what a second appends to the append-only file in the background.
func appends(s closed.System, tps float64) device.Used {
	return device.Used{Operations: tps * s.Writes, Bytes: tps * s.Writes * float64(s.WriteSize)}
}

// nearlyAll is the share of a disk's limits from which it cannot keep up in the long run.
const nearlyAll = 0.9

// full reports whether what is used in a second is nearly all that a disk, with its copies, allows.
func full(d device.Device, used device.Used) bool {
	operations := used.Operations
	if size := d.Member().OperationSize; size > 0 && operations > 0 {
		operations *= math.Ceil(used.Bytes / used.Operations / float64(size))
	}
	copies := float64(d.Copies())
	iops, throughput := d.Provisioned()
	return throughput > 0 && copies*used.Bytes > nearlyAll*float64(throughput) || iops > 0 && copies*operations > nearlyAll*iops
}

// keepsUp refuses a disk that is slower than an append-only file grows that is written in the background: the server would
// wait, which the model does not cover. So would a replica that needs more than the CPU of its thread.
func keepsUp(s closed.System, tps float64) error {
	if s.Loop == nil {
		return nil
	}
	if busy := tps * s.Loop.Follow.Seconds(); busy > 1 {
		return hint.Errorf("measure it", "the replica would need %.2g CPUs, and has one thread: it would fall behind, which the model does not cover", busy)
	}
	if grows := appends(s, tps); s.WALBytes == 0 && full(s.Data, grows) {
		return hint.Errorf("measure it, or ask for a disk that is faster",
			"the append-only file would grow by %s, which %s cannot write: requests would wait for it, which the model does not cover", unit.Rate(grows.Bytes), s.Data.Name)
	}
	return nil
}

// apartFromReplica refuses limits of CPUs beside a replica: which CPUs it would use is not known.
func apartFromReplica(s closed.System) error {
	if s.Loop != nil && s.Loop.Follow > 0 && s.Others > 0 {
		return hint.Errorf("ask for --cpu-speed, or for another --instance", "the model has no limits of CPUs beside a replica: the server and its replica share all CPUs")
	}
	return nil
}
