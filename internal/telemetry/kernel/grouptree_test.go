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

// TestGroupInAnotherContainer checks that the group of a server in another container is read where process
// 1 has it, if plinth's own mounts do not show it.
func TestGroupInAnotherContainer(t *testing.T) {
	const (
		own    = "3:memory:/pods/a/reader\n2:cpu,cpuacct:/pods/a/reader\n1:name=systemd:/pods/a/reader\n"
		server = "3:memory:/pods/b/server\n2:cpu,cpuacct:/pods/b/server\n1:name=systemd:/pods/b/server\n"
	)
	root := t.TempDir()
	put(t, root, "proc/self/cgroup", own)
	put(t, root, "proc/self/mountinfo", `34 31 0:31 /pods/a/reader /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 31 0:32 /pods/a/reader /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
`)
	put(t, root, "proc/1/mountinfo", `34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
`)
	put(t, root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "")
	put(t, root, "sys/fs/cgroup/cpu,cpuacct/cpu.stat", "")
	tree, err := readGroupTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if seen := tree.seeing(server); seen.view != "" {
		t.Errorf("without the group, it is seen in %s", seen.view)
	}
	const machine = "proc/1/root/sys/fs/cgroup/"
	put(t, root, machine+"memory/pods/b/server/memory.usage_in_bytes", "")
	put(t, root, machine+"cpu,cpuacct/pods/b/server/cpu.stat", "")
	seen := tree.seeing(server)
	for controller, want := range map[string]string{"memory": "memory/pods/b/server", "cpuacct": "cpu,cpuacct/pods/b/server"} {
		if dirs, first := seen.dirs(controller); !first || len(dirs) != 4 || dirs[0] != machine+want || dirs[3] != machine+strings.Split(want, "/")[0] {
			t.Errorf("%s is read in %v", controller, dirs)
		}
	}
	if again := seen.seeing(own); again.view != "" {
		t.Errorf("a server in plinth's own group is seen in %s", again.view)
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
