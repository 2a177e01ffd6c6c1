package volume

import (
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
)

// TestModelOfAnArray checks that an array without a chunk size gets mdadm's default and is a
// valid model.
func TestModelOfAnArray(t *testing.T) {
	for level, want := range map[string]device.Array{
		"0": {Level: 0, Members: 4, Chunk: device.DefaultChunk}, "1": {Level: 1, Members: 4}, "10": {Level: 10, Members: 4, Chunk: device.DefaultChunk},
	} {
		v := &Volume{part: partOf(experiment.Volume{RAID: level, Members: make([]experiment.Disk, 4)})}
		for range 4 {
			v.disks = append(v.disks, &disk{model: slow})
		}
		whole, err := v.wholeModel()
		if err != nil || whole.Check() != nil || whole.Name != "RAID "+level+" of 4 devices" || whole.Array.Of.Name != "slow" {
			t.Errorf("RAID %s: %+v, %v", level, whole, err)
			continue
		}
		if got := *whole.Array; got.Level != want.Level || got.Members != want.Members || got.Chunk != want.Chunk {
			t.Errorf("RAID %s: %+v, want %+v", level, got, want)
		}
	}
}
