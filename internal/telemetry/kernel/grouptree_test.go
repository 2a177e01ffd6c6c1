//go:build linux

package kernel

import (
	"strings"
	"testing"
)

// TestGroupThatIsRead checks that the server's group is read if it is separate and visible.
func TestGroupThatIsRead(t *testing.T) {
	const version1 = "3:memory:/user\n2:cpu,cpuacct:/user\n1:name=systemd:/user\n0::/user\n"
	for _, test := range []struct {
		name, own, server, mounts string
		there                     []string // directories of groups that exist
		controller                string
		want                      string // the nearest directory; "" for none
		first                     bool
	}{
		{name: "no server", own: "0::/tests\n", controller: "cpu", want: "sys/fs/cgroup/tests"},
		{name: "its own", own: "0::/tests\n", server: "0::/db/server\n", there: []string{"db/server"}, controller: "cpu", want: "sys/fs/cgroup/db/server"},
		{name: "the topmost is nobody's own", own: "0::/tests\n", server: "0::/\n", controller: "cpu", want: "sys/fs/cgroup/tests"},
		{name: "removed", own: "0::/tests\n", server: "0::/server (deleted)\n", controller: "cpu", want: "sys/fs/cgroup/tests"},
		{name: "in another container", own: "0::/\n", server: "0::/../other\n", there: []string{"other"}, controller: "cpu", want: "sys/fs/cgroup"},
		{name: "a name with spaces", own: "0::/\n", server: "0::/my server \n", there: []string{"my server "}, controller: "cpu", want: "sys/fs/cgroup/my server "},
		{name: "version 1", own: version1, server: strings.ReplaceAll(version1, "memory:/user", "memory:/user/server"),
			there: []string{"memory/user/server", "cpu,cpuacct", "unified"}, controller: "memory", want: "sys/fs/cgroup/memory/user/server", first: true},
		{name: "version 1, another controller", own: version1, server: strings.ReplaceAll(version1, "memory:/user", "memory:/user/server"),
			there: []string{"memory/user/server", "cpu,cpuacct", "unified"}, controller: "cpuacct", want: "sys/fs/cgroup/cpu,cpuacct/user", first: true},
		{name: "hybrid", own: version1, server: strings.ReplaceAll(version1, "0::/user", "0::/server"),
			there: []string{"memory", "unified/server"}, controller: "io", want: "sys/fs/cgroup/unified/server"},
		{name: "a container of version 1", own: "4:memory:/docker/4f\n", server: "4:memory:/docker/4f/server\n",
			mounts: `34 31 0:31 /docker/4f /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory`,
			there:  []string{"memory/server"}, controller: "memory", want: "sys/fs/cgroup/memory/server", first: true},
		{name: "a container of version 1, and a server outside", own: "4:memory:/docker/4f\n", server: "4:memory:/docker/4f5/server\n",
			mounts: `34 31 0:31 /docker/4f /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory`,
			there:  []string{"memory/5/server"}, controller: "memory", want: "sys/fs/cgroup/memory", first: true},
		{name: "the machine's groups in a container", own: "0::/\n", server: "0::/../../server\n",
			mounts: `30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw`,
			there:  []string{"server"}, controller: "cpu", want: "sys/fs/cgroup/server"},
		{name: "escapes", own: "0::/a\\x20b c\n", server: "0::/a\\x20b c/server\n",
			mounts: `30 23 0:26 /a\134x20b\040c /sys/fs/cgroup rw - cgroup2 cgroup2 rw`,
			there:  []string{"server"}, controller: "cpu", want: "sys/fs/cgroup/server"},
		{name: "a path of the machine's, and nobody knows what is mounted", own: "0::/docker/4f\n", controller: "cpu", want: "sys/fs/cgroup/docker/4f"},
		{name: "no groups", controller: "cpu"},
		{name: "nonsense", own: "what is this\n:\n", server: "::::\n", mounts: "- - -\n1 2 3 4 - cgroup\n", controller: "cpu"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for _, dir := range test.there {
				put(t, root, "sys/fs/cgroup/"+dir+"/cgroup.procs", "")
			}
			put(t, root, "proc/self/cgroup", test.own)
			put(t, root, "proc/self/mountinfo", test.mounts+"\n")
			tree, err := readGroupTree(root)
			if err != nil {
				t.Fatal(err)
			}
			tree.server = test.server
			dirs, first := tree.dirs(test.controller)
			got := ""
			if len(dirs) > 0 {
				got = dirs[0]
			}
			if got != test.want || first != test.first {
				t.Errorf("it reads %q, in version 1: %t; want %q, %t", dirs, first, test.want, test.first)
			}
		})
	}
}

// FuzzGroupTree checks that no directory outside the tree is read, whatever the kernel
// reports.
func FuzzGroupTree(f *testing.F) {
	f.Add("0::/tests\n", "0::/../other\n", `30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw`)
	f.Add("2:cpu,cpuacct:/user\n", "2:cpu,cpuacct:/user/server\n", `34 31 0:31 /user /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct`)
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, own, server, mounts string) {
		tree := groupTree{root: root, own: own, server: server, mounted: mountedGroups(mounts)}
		for _, controller := range []string{"cpu", "io"} {
			dirs, _ := tree.dirs(controller)
			for _, dir := range dirs {
				if !strings.HasPrefix(dir+"/", "sys/fs/cgroup/") {
					t.Errorf("%q", dirs)
				}
			}
		}
	})
}
