package limit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files below a directory; an empty text makes a directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if text == "" {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// What machines say, and where a controller is found: its version and plinth's own
// group, or "" for not at all.
func TestPlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  map[string]string
	}{
		"version 2, systemd": {map[string]string{
			"proc/self/mountinfo":                                      "24 1 0:22 / /sys rw - sysfs sysfs rw\n35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n",
			"proc/self/cgroup":                                         "0::/user.slice/user-1000.slice/session-3.scope\n",
			"sys/fs/cgroup/cgroup.controllers":                         "cpuset cpu io memory hugetlb pids\n",
			"sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope": "",
		}, map[string]string{
			"cpuset": "2 sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope",
			"memory": "2 sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope", "blkio": ""}},
		"version 1, controllers mounted together": {map[string]string{
			"proc/self/mountinfo": "36 32 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
				"37 32 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
				"38 32 0:33 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n",
			"proc/self/cgroup":                "5:memory:/user.slice\n4:cpu,cpuacct:/\n1:name=systemd:/user.slice/user-0.slice/session-1.scope\n",
			"sys/fs/cgroup/memory/user.slice": "", "sys/fs/cgroup/cpu,cpuacct": "",
		}, map[string]string{
			"cpu": "1 sys/fs/cgroup/cpu,cpuacct", "cpuacct": "1 sys/fs/cgroup/cpu,cpuacct",
			"memory": "1 sys/fs/cgroup/memory/user.slice", "cpuset": ""}},
		"hybrid: what version 1 left": {map[string]string{
			"proc/self/mountinfo":                      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n",
			"proc/self/cgroup":                         "3:cpuset:/\n0::/\n",
			"sys/fs/cgroup/unified/cgroup.controllers": "memory\n", "sys/fs/cgroup/cpuset": "",
		}, map[string]string{"cpuset": "1 sys/fs/cgroup/cpuset", "memory": "2 sys/fs/cgroup/unified"}},
		"a container with the machine's paths": {map[string]string{
			"proc/self/mountinfo":        "99 98 0:31 /docker/4f2a /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
			"proc/self/cgroup":           "5:memory:/docker/4f2a/below\n",
			"sys/fs/cgroup/memory/below": "",
		}, map[string]string{"memory": "1 sys/fs/cgroup/memory/below"}},
		"a container with paths of another's": {map[string]string{
			"proc/self/mountinfo":  "99 98 0:31 /kubepods/pod1 /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
			"proc/self/cgroup":     "5:memory:/elsewhere\n",
			"sys/fs/cgroup/memory": "",
		}, map[string]string{"memory": "1 sys/fs/cgroup/memory"}},
		"mounted elsewhere, with a space": {map[string]string{
			"proc/self/mountinfo":          `99 98 0:31 / /my\040groups rw - cgroup2 none rw` + "\n",
			"proc/self/cgroup":             "0::/\n",
			"my groups/cgroup.controllers": "cpu\n",
		}, map[string]string{"cpu": "2 my groups"}},
		"none": {map[string]string{
			"proc/self/mountinfo": "24 1 0:22 / /sys rw - sysfs sysfs rw\n", "proc/self/cgroup": "0::/\n",
		}, map[string]string{"cpu": "", "": ""}},
	} {
		root := tree(t, tc.files)
		found, err := places(root)
		if err != nil {
			t.Fatal(name, err)
		}
		for controller, want := range tc.want {
			got := ""
			if p, there := found[controller]; there {
				got = string(rune('0'+p.version)) + " " + strings.TrimPrefix(p.own, root+"/")
			}
			if got != want {
				t.Errorf("%s: %q is at %q, want %q", name, controller, got, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset\n", "3:cpuset:/a\n0::/b\n")
	f.Add(`1 2 3 \040 \ - cgroup2 x y`, "::")
	f.Fuzz(func(t *testing.T, mounts, groups string) {
		for _, h := range parseMounts(mounts) {
			if h.version != 1 && h.version != 2 || h.mountPoint == "" || len(h.mountPoint) > len(mounts) {
				t.Errorf("%q has %+v", mounts, h)
			}
		}
		for controller, group := range parseGroups(groups) {
			if !strings.Contains(groups, controller) || !strings.Contains(groups, group) {
				t.Errorf("%q has %q at %q", groups, controller, group)
			}
		}
	})
}
