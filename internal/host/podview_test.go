package host

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// process is a process of a /proc that a test makes.
type process struct {
	pid, name, pod, cpus string
}

// procOf makes a /proc with some processes.
func procOf(t *testing.T, all ...process) string {
	t.Helper()
	root := t.TempDir()
	for _, p := range all {
		directory := filepath.Join(root, p.pid)
		if err := os.Mkdir(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		group := "0::/system.slice/sshd.service\n"
		if p.pod != "" {
			group = "4:cpuset:/kubepods/pod" + p.pod + "/1f0c\n"
		}
		for name, text := range map[string]string{
			"cgroup": group,
			"stat":   p.pid + " (" + p.name + ") S 1 " + p.pid + " 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 1 1 1 18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			"status": "Name:\t" + p.name + "\nCpus_allowed_list:\t" + p.cpus + "\nMems_allowed_list:\t0-1\n",
			"smaps": "7f0000000000-7f0020000000 rw-s 00000000 00:10 1  /anon_hugepage (deleted)\nSize:  524288 kB\nKernelPageSize:   2048 kB\nMMUPageSize: 2048 kB\n" +
				"7f0030000000-7f0030001000 rw-p 00000000 00:00 0\nSize:  4 kB\nKernelPageSize:   4 kB\n",
			"numa_maps": "7f0000000000 default file=/anon_hugepage\\040(deleted) huge dirty=3 N0=2 N1=1 kernelpagesize_kB=2048\n7f0030000000 default anon=1 N1=1 kernelpagesize_kB=4\n",
		} {
			if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

const (
	ours   = "0a0b0c0d-1111-2222-3333-444455556666"
	theirs = "1a0b0c0d-1111-2222-3333-444455556666"
	third  = "2a0b0c0d_1111_2222_3333_444455556666" // systemd's spelling
)

func TestViewPod(t *testing.T) {
	server := process{"11", "postgres", ours, "1"}
	for _, c := range []struct {
		with   []process
		others int
	}{
		{nil, 0},
		{[]process{{"12", "sh", ours, "0-1"}, {"13", "sshd", "", "0-1"}, {"14", "pause", theirs, "0-1"}, {"15", "plinth", theirs, "0,2-3"}}, 0},
		{[]process{{"12", "plinth", theirs, "0"}, {"13", "sh", theirs, "0-1"}, {"14", "sh", theirs, "0-1"}, {"15", "redis-server", third, "1"}}, 2},
	} {
		v, err := ViewPod(procOf(t, append(c.with, server)...), ours, []string{"postgres"})
		if err != nil || v.Others != c.others || v.CPUs != "1" || v.Nodes != "0-1" || v.HugePages != 512<<20 ||
			!maps.Equal(v.Memory, map[string]int64{"0": 4 << 20, "1": 2<<20 + 4<<10}) {
			t.Errorf("%v: %+v, %v", c.with, v, err)
		}
	}
	if _, err := ViewPod(procOf(t, server), theirs, []string{"postgres"}); err == nil {
		t.Error("a pod without a server is described")
	}
}
