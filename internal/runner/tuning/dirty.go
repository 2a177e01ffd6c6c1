package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/limit"
	"plinth/internal/profile"
	"plinth/internal/unit"
)

// dirtyPairs holds the settings that limit dirty pages, as a share of memory and in bytes.
var dirtyPairs = [][2]string{
	{"vm.dirty_ratio", "vm.dirty_bytes"},
	{"vm.dirty_background_ratio", "vm.dirty_background_bytes"},
}

// settings reads the kernel settings of a machine by path.
type settings interface {
	Read(path string) (string, error)
}

// dirtyByLimit converts shares of the machine's memory into shares of the server's memory limit
// where the kernel does not: with control groups of version 1, a server of 1 GiB on a machine
// of 64 would fill its cache with dirty pages long before write-back throttles it. This changes
// the host, so the experiment must allow it.
func (t *tuned) dirtyByLimit(declared *experiment.Experiment, e experiment.Environment, m settings) error {
	if !declared.AllowHost || e.Limits.Memory == 0 {
		return nil
	}
	if follows, err := limit.DirtyFollowsMachine(e.Limits); err != nil || !follows {
		return err
	}
	for _, pair := range dirtyPairs {
		if err := t.dirtyPair(e.Limits.Memory, pair[0], pair[1], m); err != nil {
			return err
		}
	}
	t.where.DirtyByLimit = true
	return nil
}

func (t *tuned) dirtyPair(memory unit.Size, ratio, bytes string, m settings) error {
	if slices.ContainsFunc(t.host, func(v profile.Value) bool { return v.Key.Knob == bytes }) {
		return nil // already set in bytes
	}
	v := profile.Value{Key: knob.Key{Knob: bytes}, Layer: knob.Kernel, Group: "flushing"}
	if i := slices.IndexFunc(t.host, func(v profile.Value) bool { return v.Key.Knob == ratio }); i >= 0 {
		v.Value, v.Group, v.Profile, v.Source = t.host[i].Value, t.host[i].Group, t.host[i].Profile, t.host[i].Source
		t.host = slices.Delete(t.host, i, i+1)
	} else {
		now, err := m.Read("/proc/sys/" + strings.ReplaceAll(ratio, ".", "/"))
		if err != nil {
			return err
		}
		v.Value = now
	}
	share, err := strconv.Atoi(strings.TrimSpace(v.Value))
	if err != nil || share == 0 { // this machine uses bytes, which are kept
		return err
	}
	v.Reason = fmt.Sprintf("%d %% of the limit of %s; with control groups of version 1 the kernel applies the share to the whole machine's memory", share, memory)
	v.Value = strconv.FormatInt(int64(memory)*int64(share)/100, 10)
	t.host = append(t.host, v)
	return nil
}
