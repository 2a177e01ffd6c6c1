package host

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

func TestReadFactsOfCapturedMachines(t *testing.T) {
	for tree, want := range map[string]Facts{
		"x86":   {OS: "Debian GNU/Linux 12 (bookworm)", CPUModel: "AMD EPYC", Memory: 24684084 << 10},
		"arm64": {OS: "Ubuntu 24.04.1 LTS", CPUModel: "ARM 0x41 part 0xd0c", Memory: 7933456 << 10},
		"container": {OS: "Alpine Linux v3.22", Memory: 7933456 << 10,
			CPUModel: "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"},
	} {
		got, err := readFacts(os.DirFS("testdata/" + tree))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.MachineID) != 32 {
			t.Errorf("%s: machine id %q", tree, got.MachineID)
		}
		got.MachineID = ""
		if got != want {
			t.Errorf("%s: %+v, want %+v", tree, got, want)
		}
	}
}

func TestMachineIDIsHidden(t *testing.T) {
	id := "5f0e4c1d2b3a49788796a5b4c3d2e1f0"
	hashed := hashMachineID(id)
	// printf plinth/machine/v1 | openssl dgst -sha256 -hmac ID. It must never change,
	// because records of earlier versions have to match.
	if want := "3072adc2f9046f42199d87ff6e019c9a"; hashed != want {
		t.Errorf("the hash is %s, want %s", hashed, want)
	}
	if other := hashMachineID(id + "x"); other == hashed {
		t.Error("two machines have the same hash")
	}
	if hashMachineID("") != "" {
		t.Error("no id has a hash")
	}
}

func TestReadFactsOfThisMachine(t *testing.T) {
	facts, err := ReadFacts()
	if err != nil {
		t.Fatal(err)
	}
	if facts.Kernel == "" || facts.Arch == "" || facts.CPUs < 1 || facts.Memory < 1<<20 {
		t.Errorf("facts are %+v", facts)
	}
	again, err := ReadFacts()
	if err != nil || len(facts.Differences(again)) != 0 {
		t.Errorf("a moment later: %v, %v", facts.Differences(again), err)
	}
}

func TestDifferences(t *testing.T) {
	facts := Facts{"m", "Debian", "6.1", "amd64", "EPYC", 8, 16 << 30}
	for _, tc := range []struct {
		change func(*Facts)
		want   []string
	}{
		{func(*Facts) {}, nil},
		{func(f *Facts) { f.Memory += f.Memory / 200 }, nil},
		{func(f *Facts) { f.MachineID = "n" }, []string{"it is another machine (or its machine id was changed)"}},
		{func(f *Facts) { f.Kernel, f.CPUs = "6.6", 4 }, []string{"kernel: 6.1 then, 6.6 now", "CPUs that plinth may use: 8 then, 4 now"}},
		{func(f *Facts) { f.Memory = 8 << 30 }, []string{"memory: 16GiB then, 8GiB now"}},
	} {
		later := facts
		tc.change(&later)
		if got := facts.Differences(later); !slices.Equal(got, tc.want) {
			t.Errorf("differences are %q, want %q", got, tc.want)
		}
	}
}

func TestCPUModels(t *testing.T) {
	for cpuinfo, want := range map[string]string{
		"processor\t: 0\ncpu\t\t: POWER9, altivec supported\n": "POWER9, altivec supported",
		"model name\t: ARMv7 Processor rev 3 (v7l)\n":          "ARMv7 Processor rev 3 (v7l)",
		"processor: 0\nuarch\t: sifive,u74-mc\n":               "sifive,u74-mc",
		"nothing":                                              "",
	} {
		if got := parseCPUModel(cpuinfo); got != want {
			t.Errorf("%q: %q, want %q", cpuinfo, got, want)
		}
	}
}

func TestAvailableMemory(t *testing.T) {
	const gib = 1 << 30
	meminfo := "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups": {nil, 8 * gib},
		"version 2 without a limit": {map[string]string{
			"proc/self/cgroup":              "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":  "max\n",
			"sys/fs/cgroup/memory.current":  "1\n",
			"sys/fs/cgroup/a/memory.events": "max 0\n",
		}, 8 * gib},
		"version 2, limited above": {map[string]string{
			"proc/self/cgroup":               "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":   "max\n",
			"sys/fs/cgroup/a/memory.max":     "4294967296\n",
			"sys/fs/cgroup/a/memory.current": "1073741824\n",
		}, 3 * gib},
		"version 1, the host's path in a container": {map[string]string{
			"proc/self/cgroup":                           "4:cpu,cpuacct:/x\n3:memory:/docker/7\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1610612736\n",
			"sys/fs/cgroup/memory/memory.stat":           "active_file 1\ntotal_active_file 536870912\ntotal_inactive_file 0\n",
		}, gib},
		"version 1 without a limit": {map[string]string{
			"proc/self/cgroup":                           "3:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1610612736\n",
		}, 8 * gib},
		"version 1 without a limit, with more cache than usage": {map[string]string{
			"proc/self/cgroup":                           "3:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "4096\n",
			"sys/fs/cgroup/memory/memory.stat":           "total_active_file 536870912\n",
		}, 8 * gib},
		"above its limit": {map[string]string{
			"proc/self/cgroup":             "0::/\n",
			"sys/fs/cgroup/memory.max":     "1000\n",
			"sys/fs/cgroup/memory.current": "2000\n",
		}, 0},
	} {
		root := fstest.MapFS{"proc/meminfo": {Data: []byte(meminfo)}}
		for path, text := range tc.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, err := availableMemory(root); got != tc.want || err != nil {
			t.Errorf("%s: %d, %v; want %d", name, got, err, tc.want)
		}
	}
}

func TestAvailableMemoryOfCapturedMachines(t *testing.T) {
	for tree, want := range map[string]int64{
		"arm64":     6543210 << 10,
		"container": 2147483648 - 1073741824 + 107000000,
	} {
		if got, err := availableMemory(os.DirFS("testdata/" + tree)); got != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", tree, got, err, want)
		}
	}
	if got, err := AvailableMemory(); got <= 0 || err != nil {
		t.Errorf("of this machine: %d, %v", got, err)
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add("MemTotal: 7933456 kB\nMemAvailable: 6543210 kB\n")
	f.Add("MemTotal: 18014398509481984 kB\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readMemory(fstest.MapFS{"proc/meminfo": {Data: []byte(text)}})
		if err == nil && m.total == 0 {
			t.Errorf("%q has no memory", text)
		}
		parseCPUModel(text)
		parseOSRelease(text)
	})
}
