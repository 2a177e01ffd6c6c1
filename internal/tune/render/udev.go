package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isQueue says whether a change is of the queue of a disk.
func isQueue(c tune.Change) bool {
	return c.Layer == knob.Block && strings.HasPrefix(file(c), "/sys/") && strings.Contains(file(c), "/queue/")
}

// device is the disk of a change, by the kernel's name.
func device(c tune.Change) string {
	if c.Target != "" {
		return path.Base(c.Target)
	}
	return path.Base(path.Dir(path.Dir(file(c)))) // of .../nvme0n1/queue/scheduler
}

// udevFiles is a rule for each attribute. The scheduler comes first: when it changes
// the kernel resets nr_requests and wbt_lat_usec.
func udevFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# At once: udevadm control --reload; udevadm trigger --subsystem-match=block\n" +
		"# Names of disks may change from boot to boot: ENV{ID_SERIAL} is safer than KERNEL\n" +
		"# (udevadm info --query=property --name=DISK).\n")
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b tune.Change) int {
		if device(a) != device(b) {
			return strings.Compare(device(a), device(b))
		}
		return schedulerFirst(a) - schedulerFirst(b)
	})
	for _, c := range changes {
		fmt.Fprintf(&b, "%sACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"%s\", ATTR{queue/%s}=\"%s\"\n",
			why(c), device(c), path.Base(file(c)), strings.NewReplacer(`"`, "", "$", "$$", "%", "%%").Replace(c.Then))
	}
	return []File{{"/etc/udev/rules.d/90-plinth.rules", b.String()}}
}

func schedulerFirst(c tune.Change) int {
	if path.Base(file(c)) == "scheduler" {
		return 0
	}
	return 1
}
