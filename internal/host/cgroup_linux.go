package host

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// groupDir is a control group's directory, and the names of its files, which
// differ between the two versions of control groups (cgroups(7)).
type groupDir struct {
	dir          string
	limit, usage string
}

// memoryGroups are the directories that may limit the memory of a process with
// this /proc/self/cgroup: its own groups and all above. In a container the
// paths may be those of the host, which are not there; the top of the tree is
// then the container's own group.
func memoryGroups(cgroup string) (dirs []groupDir) {
	for line := range strings.Lines(cgroup) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		group := groupDir{"sys/fs/cgroup", "memory.max", "memory.current"}
		switch {
		case hasWord(fields[1], "memory"):
			group = groupDir{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}
		case fields[1] != "" || fields[0] != "0":
			continue
		}
		top := group.dir
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			group.dir = path.Join(top, at)
			dirs = append(dirs, group)
			if at == "/" {
				break
			}
		}
	}
	return dirs
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// groupRoom is what a group may still take; false when it has no limit. The page
// cache counts as used there, but the kernel gives it back when it is needed.
// It is no less than 0.
func groupRoom(root fs.FS, g groupDir) (room int64, limited bool) {
	limit, limited := readNumber(root, path.Join(g.dir, g.limit))
	usage, known := readNumber(root, path.Join(g.dir, g.usage))
	if !limited || !known {
		return 0, false // "max", or no such group or file
	}
	text, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat"))
	return max(0, limit-usage+pageCache(string(text))), true
}

// pageCache is the file pages on the kernel's lists; memory of tmpfs is not
// among them. Version 1 has the sums of a whole tree under names of their own.
func pageCache(memoryStat string) int64 {
	var own, tree int64
	for line := range strings.Lines(memoryStat) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "inactive_file", "active_file":
			own += n
		case "total_inactive_file", "total_active_file":
			tree += n
		}
	}
	return max(own, tree)
}

func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
