package host

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// machineOf returns a file system with these files and /proc/stat.
func machineOf(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{"proc/stat": {}}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

var fourCores = map[string]string{
	"proc/self/cgroup": "0::/a/b\n",
	"proc/swaps": "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" +
		"/dev/zram0                              partition\t8388604\t\t0\t\t100\n" +
		"/dev/vda2                               partition\t2097148\t\t12\t\t-2\n",
	"proc/sys/vm/swappiness":                                   "60\n",
	"proc/sys/vm/dirty_ratio":                                  "20\n",
	"proc/sys/vm/dirty_bytes":                                  "0\n",
	"proc/sys/vm/drop_caches":                                  "0\n",
	"proc/sys/vm/overcommit_memory":                            "0\n",
	"proc/sys/vm/nr_hugepages":                                 "512\n",
	"proc/sys/kernel/numa_balancing":                           "1\n",
	"sys/kernel/mm/transparent_hugepage/enabled":               "always [madvise] never\n",
	"sys/kernel/mm/transparent_hugepage/defrag":                "always defer defer+madvise [madvise] never\n",
	sysfs.CPUs + "/cpu0/cpufreq/scaling_governor":              "performance\n",
	sysfs.CPUs + "/cpu1/cpufreq/scaling_governor":              "performance\n",
	sysfs.CPUs + "/cpu2/cpufreq/scaling_governor":              "powersave\n",
	sysfs.CPUs + "/cpu10/cpufreq/scaling_governor":             "performance\n",
	sysfs.CPUs + "/cpu0/cpufreq/energy_performance_preference": "balance_performance\n",
	sysfs.CPUs + "/cpu1/cpufreq/energy_performance_preference": "balance_performance\n",
	sysfs.CPUs + "/cpufreq/boost":                              "1\n",
	sysfs.CPUs + "/intel_pstate/no_turbo":                      "0\n",
	sysfs.CPUs + "/smt/control":                                "on\n",
	"sys/block/nvme0n1/device/model":                           "x\n",
	"sys/block/nvme0n1/queue/scheduler":                        "[none] mq-deadline kyber\n",
	"sys/block/nvme0n1/queue/read_ahead_kb":                    "128\n",
	"sys/block/loop0/queue/scheduler":                          "none\n",
	"sys/fs/cgroup/a/b/cpu.max":                                "max 100000\n",
	"sys/fs/cgroup/a/cpu.max":                                  "150000 100000\n",
	"sys/fs/cgroup/a/b/memory.max":                             "2147483648\n",
	"sys/fs/cgroup/a/memory.max":                               "max\n",
}

func TestReadConditionsOfFourCores(t *testing.T) {
	got, err := readConditions(machineOf(fourCores))
	if err != nil {
		t.Fatal(err)
	}
	want := Conditions{
		"governor": "performance on 0-1,10; powersave on 2", "energy preference": "balance_performance",
		"boost": "1", "no_turbo": "0", "SMT": "on", "swap": "/dev/vda2, /dev/zram0",
		"vm.swappiness": "60", "vm.dirty_ratio": "20", "vm.dirty_bytes": "0", "vm.overcommit_memory": "0",
		"vm.nr_hugepages": "512", "kernel.numa_balancing": "1",
		"transparent_hugepage": "madvise", "transparent_hugepage defrag": "madvise",
		"nvme0n1 scheduler": "none", "nvme0n1 read_ahead_kb": "128",
		"CPU quota": "1.5 CPUs", "memory limit": "2147483648 bytes",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v", want.Changes(got))
	}
}

// Each setting that may change is detected and described in the user's terms.
func TestConditionsChanges(t *testing.T) {
	for change, c := range map[string]struct{ file, text string }{
		"governor: performance on 0-1,10; powersave on 2 then, performance now": {sysfs.CPUs + "/cpu2/cpufreq/scaling_governor", "performance\n"},
		"swap: /dev/vda2, /dev/zram0 then, off now":                             {"proc/swaps", "Filename\tType\n"},
		"boost: 1 then, 0 now":                                                                  {sysfs.CPUs + "/cpufreq/boost", "0\n"},
		"nvme0n1 scheduler: none then, kyber now":                                               {"sys/block/nvme0n1/queue/scheduler", "none mq-deadline [kyber]\n"},
		"vm.swappiness: 60 then, 1 now":                                                         {"proc/sys/vm/swappiness", "1\n"},
		"CPU quota: 1.5 CPUs then, 0.5 CPUs now":                                                {"sys/fs/cgroup/a/b/cpu.max", "50000 100000\n"},
		"CPU quota: 1.5 CPUs then, none now":                                                    {"sys/fs/cgroup/a/cpu.max", "max 100000\n"},
		"memory limit: 2147483648 bytes then, 4096 bytes now":                                   {"sys/fs/cgroup/a/memory.max", "4096\n"},
		"transparent_hugepage: madvise then, always now":                                        {"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"},
		"vm.dirty_background_ratio: absent then, 5 now":                                         {"proc/sys/vm/dirty_background_ratio", "5\n"},
		"transparent_hugepage defrag: madvise then, always now":                                 {"sys/kernel/mm/transparent_hugepage/defrag", "[always] defer\n"},
		"energy preference: balance_performance then, balance_performance on 1; power on 0 now": {sysfs.CPUs + "/cpu0/cpufreq/energy_performance_preference", "power\n"},
	} {
		files := maps.Clone(fourCores)
		files[c.file] = c.text
		files["sys/block/sdb/device/model"], files["sys/block/sdb/queue/scheduler"] = "x", "none\n" // attached in the meantime
		before, err := readConditions(machineOf(fourCores))
		after, afterErr := readConditions(machineOf(files))
		if err != nil || afterErr != nil {
			t.Fatal(err, afterErr)
		}
		if got := before.Changes(after); !slices.Equal(got, []string{change}) {
			t.Errorf("%s: got %q", change, got)
		}
	}
}

func TestChangesAreSorted(t *testing.T) {
	a, b := Conditions{"b": "1", "a": "1", "same": "x"}, Conditions{"c": "2", "b": "2", "same": "x"}
	want := []string{"a: 1 then, absent now", "b: 1 then, 2 now", "c: absent then, 2 now"}
	if got := a.Changes(b); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Conditions(nil).Changes(Conditions{"a": "1"}); !slices.Equal(got, []string{"a: absent then, 1 now"}) {
		t.Errorf("%q", got)
	}
	if got := a.Changes(a); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestQuotasOfVersion1(t *testing.T) {
	files := map[string]string{
		"proc/self/cgroup":                           "5:cpu,cpuacct:/docker/4f\n4:memory:/docker/4f\n0::/\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "-1\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		"sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n",
		"sys/fs/cgroup/unified/cpu.max":              "1 100000\n", // the controller is not in this hierarchy
	}
	c, err := readConditions(machineOf(files))
	if err != nil || c["CPU quota"] != "none" || c["memory limit"] != "none" {
		t.Errorf("%v, %v", c, err)
	}
	files["sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "25000\n"
	files["sys/fs/cgroup/memory/docker/4f/memory.limit_in_bytes"] = "1073741824\n"
	c, err = readConditions(machineOf(files))
	if err != nil || c["CPU quota"] != "0.25 CPUs" || c["memory limit"] != "1073741824 bytes" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestConditionsWithoutProc(t *testing.T) {
	if c, err := readConditions(fstest.MapFS{}); err == nil {
		t.Errorf("no error, but %v", c)
	}
}

// An unreadable setting is not reported as absent.
func TestConditionsUnprivileged(t *testing.T) {
	user := needOtherUser(t)
	root, err := os.MkdirTemp("", "plinth-test-") // other users may enter it, unlike the parent of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(root, machineOf(map[string]string{"proc/swaps": "/dev/sda1 partition\n", sysfs.CPUs + "/smt/control": "on\n"})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/proc/swaps", "/" + sysfs.CPUs + "/smt/control"} {
		if err := os.Chmod(root+name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := os.DirFS(root)
	var c Conditions
	var readErr error
	if err := user.Do(func() { c, readErr = readConditions(open) }); err != nil {
		t.Fatal(err)
	}
	if c["swap"] != "cannot be read" || c["SMT"] != "cannot be read" {
		t.Errorf("%v, %v", c, readErr)
	}
}

// This machine and this process have at least these conditions, and they are stable.
func TestReadConditions(t *testing.T) {
	hosttest.LockKernel(t) // tests of other packages change settings
	c, err := ReadConditions()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"swap", "vm.swappiness", "vm.dirty_ratio", "vm.overcommit_memory",
		"limit of open files", "limit of processes", "CPU affinity"} {
		if c[name] == "" || strings.Contains(c[name], "\n") {
			t.Errorf("%s is %q", name, c[name])
		}
	}
	again, err := ReadConditions()
	if changes := c.Changes(again); err != nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
}

func TestParseSwaps(t *testing.T) {
	const head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	for text, want := range map[string]string{
		"":   "off",
		head: "off",
		head + "/swap\\040file file 100 0 -2\n/dev/sda3 partition 1 1 5\n": "/dev/sda3, /swap\\040file",
	} {
		if got := parseSwaps(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestChosen(t *testing.T) {
	for text, want := range map[string]string{
		"always [madvise] never": "madvise", "none": "none", "": "", "[none]": "none", "a ] [b": "a ] [b",
	} {
		if got := chosen(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzConditions(f *testing.F) {
	for _, text := range []string{"always [madvise] never", "/swap file 1 1 1\n", "flags : hypervisor\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if chosen(text) == "" && text != "" && !strings.Contains(text, "[]") {
			t.Errorf("%q has become nothing", text)
		}
		if parseSwaps(text) == "" {
			t.Error("swap is neither on nor off")
		}
		proc.IsVirtual(text)
	})
}
