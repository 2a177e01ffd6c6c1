package volume

import (
	"cmp"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// queue is what a volume has the queue of a disk be.
type queue struct {
	by        claim
	readAhead unit.Size
	scheduler string
}

// queueFor is that of a disk of a volume. Read-ahead of an array is that of its own
// device.
func queueFor(v experiment.Volume, by claim) queue {
	q := queue{by: by, readAhead: v.ReadAhead, scheduler: v.Scheduler}
	if v.RAID != "" {
		q.readAhead = 0
	}
	return q
}

// enter is an error when another volume has the same queue be otherwise: partitions
// share that of their disk. One that says nothing gets the kernel's, and not what
// another one said.
func (q queue) enter(queues map[string]queue, device string) error {
	dir := queueOf(device)
	if device == "" || dir == "" {
		return nil // of its own, or not there
	}
	other, shared := queues[dir]
	if !shared {
		queues[dir] = q
		return nil
	}
	if other.readAhead == q.readAhead && other.scheduler == q.scheduler {
		return nil
	}
	return hint.Errorf("give both the same read_ahead and scheduler, or disks of their own",
		"%s and %s are on partitions of one disk, which has one queue: %s on %s, %s on %s",
		other.by.who, q.by.who, other, other.by.what, q, q.by.what)
}

func (q queue) String() string {
	return "read_ahead " + cmp.Or(sizeWord(q.readAhead), "unsaid") + " and scheduler " + cmp.Or(q.scheduler, "unsaid")
}
