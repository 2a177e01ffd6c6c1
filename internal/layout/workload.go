package layout

import (
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

const (
	blockSize = 8 * unit.KiB
	// tempOperation is the largest common request of a disk, into which the kernel merges the blocks of
	// temporary files (assumed, as in package placement).
	tempOperation = 128 * unit.KiB
)

// relationName returns the name of an object; without a schema it is in public.
func relationName(name string) relation.Name {
	if schema, table, found := strings.Cut(name, "."); found {
		return relation.Name{Schema: schema, Name: table}
	}
	return relation.Name{Schema: "public", Name: name}
}

// workload returns what has to be placed, each with its size after the months of growth.
func (c *completed) workload() placement.Workload {
	var objects []placement.Object
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		objects = append(objects, c.object(name))
	}
	objects = append(objects, c.walObject())
	if c.Temp.Size > 0 {
		operations := float64(c.Temp.Rate) / float64(tempOperation)
		objects = append(objects, placement.Object{
			Name: placement.Temp, Kind: placement.Temp, Size: c.Temp.Size, Operation: tempOperation,
			Reads: operations, Requests: operations, Writes: placement.Exactly(operations),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Other)) {
		o := c.Other[name]
		objects = append(objects, placement.Object{Name: name, Kind: placement.Other, Size: c.end(o.Size, o.Growth)})
	}
	return placement.FromObjects(objects)
}

func (c *completed) object(name string) placement.Object {
	from := c.Objects[name]
	o := placement.Object{
		Name: relationName(name).String(), Kind: relation.Table, Relation: relationName(name), Size: c.end(from.Size, from.Growth),
		Requests: from.Reads, Reads: from.Reads, Queried: from.Reads, Changed: from.Writes,
		Writes: placement.Exactly(from.Writes), Operation: blockSize,
	}
	if from.Of != "" {
		of := relationName(from.Of)
		o.Kind, o.Of = relation.Index, &of
	}
	if from.AppendOnly {
		o.Changes.Inserted = from.Writes
	}
	return o
}

// The settings of checkpoints, and the volume of the WAL that follows from them.
const (
	checkpointMinutes = 15
	leastMinutes      = 5
	mostWAL           = 64 * unit.GiB // that checkpoints are spread over, if they are to be that rare
	// walOfCheckpoint: the server begins a checkpoint when the WAL since the last one reaches
	// max_wal_size / (1 + checkpoint_completion_target), whose default is 0.9.
	// https://www.postgresql.org/docs/current/wal-configuration.html
	walOfCheckpoint = 1.9
	// walVolume is how many times max_wal_size the volume holds: the limit is a soft one, and an archive
	// or a standby that falls behind keeps more.
	walVolume = 3
)

// checkpoints returns the time between two checkpoints, in minutes, and a max_wal_size, in whole GiB,
// that lets them begin by time rather than by WAL.
func (c *completed) checkpoints() (minutes int, most unit.Size) {
	rate := float64(c.WAL.Rate)
	minutes = checkpointMinutes
	if rate*60*float64(minutes)*walOfCheckpoint > float64(mostWAL) {
		minutes = max(leastMinutes, int(float64(mostWAL)/(rate*60*walOfCheckpoint)))
	}
	gib := math.Ceil(rate * 60 * float64(minutes) * walOfCheckpoint / float64(unit.GiB))
	return minutes, unit.Size(max(1, gib)) * unit.GiB
}

// walObject returns the WAL. With its size, it fills the share of a volume that may be used.
func (c *completed) walObject() placement.Object {
	_, most := c.checkpoints()
	return placement.Object{
		Name: placement.WAL, Kind: placement.WAL, Size: unit.Size(walVolume * float64(placement.ShareOfCapacity) * float64(most)),
		Durable: placement.Exactly(c.WAL.Commits), Operation: max(blockSize, c.WAL.Bytes),
	}
}
