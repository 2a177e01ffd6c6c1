package render

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/tune"
)

var update = flag.Bool("update", false, "write the files anew")

// plan has something for every format, and values that need quoting.
func plan() *tune.Plan {
	source := knob.Source{Author: "A. Author", Title: "On Flushing", Section: "2"}
	key := knob.ParseKey
	return &tune.Plan{Profiles: []string{"mine"}, Changes: []tune.Change{
		{Layer: knob.Hypervisor, Key: key("vcpupin"), Target: "vm<1>", Then: "0=8,1=9-10", State: tune.Later, Needs: knob.Reboot, Reason: "one -- NUMA node"},
		{Layer: knob.Hypervisor, Key: key("numatune"), Target: "vm<1>", Then: "strict 1", State: tune.Later, Needs: knob.Reboot},
		{Layer: knob.Hypervisor, Key: key("hugepages"), Target: "vm<1>", Then: "on", State: tune.Later, Needs: knob.Reboot},
		{Layer: knob.Kernel, Key: key("vm.dirty_background_bytes"), Files: []string{"/proc/sys/vm/dirty_background_bytes"}, Now: "0", Then: "268435456", State: tune.ToChange, Reason: "begin early\nand often", Source: source, Risk: "more writes"},
		{Layer: knob.Kernel, Key: key("vm.nr_hugepages"), Files: []string{"/proc/sys/vm/nr_hugepages"}, Then: "512", State: tune.InForce},
		{Layer: knob.Kernel, Key: key("nr_hugepages@node1"), Files: []string{"/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"}, Then: "256", State: tune.ToChange},
		{Layer: knob.Kernel, Key: key("transparent_hugepage"), Files: []string{"/sys/kernel/mm/transparent_hugepage/enabled"}, Then: "never", State: tune.Cannot, Problem: "only root can write it"},
		{Layer: knob.Kernel, Key: key("kernel.numa_balancing"), Then: "0", State: tune.NotApplicable, Problem: "one NUMA node"},
		{Layer: knob.CPU, Key: key("scaling_governor"), Files: []string{"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"}, Then: "performance", State: tune.ToChange},
		{Layer: knob.CPU, Key: key("cpu_dma_latency"), Files: []string{"/dev/cpu_dma_latency"}, Then: "0", State: tune.Cannot, Needs: knob.OpenHeld},
		{Layer: knob.Placement, Key: key("cpus"), Then: "0-3", State: tune.Cannot, Needs: knob.OpenHeld},
		{Layer: knob.Placement, Key: key("mems"), Then: "0", State: tune.Cannot, Needs: knob.OpenHeld},
		{Layer: knob.Placement, Key: key("smp_affinity_list@24"), Files: []string{"/proc/irq/24/smp_affinity_list"}, Then: "0-3", State: tune.ToChange},
		{Layer: knob.Block, Key: key("nr_requests@data"), Target: "nvme0n1", Files: []string{"/sys/block/nvme0n1/queue/nr_requests"}, Then: "64", State: tune.ToChange},
		{Layer: knob.Block, Key: key("scheduler@data"), Target: "nvme0n1", Files: []string{"/sys/block/nvme0n1/queue/scheduler"}, Then: "none", State: tune.ToChange},
		{Layer: knob.Block, Key: key("read_ahead_kb@wal"), Target: "md0", Files: []string{"/sys/block/md0/queue/read_ahead_kb"}, Then: "4096", State: tune.ToChange},
		{Layer: knob.Block, Key: key("stripe_cache_size@md0"), Target: "md0", Files: []string{"/sys/block/md0/md/stripe_cache_size"}, Then: "4096", State: tune.ToChange},
		{Layer: knob.Mount, Key: key("options@data"), Target: "/no/such mount", Then: "noatime,nodiratime,nonsense=1", State: tune.Cannot, Needs: knob.FreshMount},
		{Layer: knob.Server, Key: key("shared_buffers"), Now: "128MB", Then: "4GB", State: tune.Later, Needs: knob.Restart, Source: source},
		{Layer: knob.Server, Key: key("cluster_name"), Now: "", Then: `it's a \ name`, State: tune.ToChange},
		{Layer: knob.Server, Key: key("fsync"), Now: "on", Then: "off", State: tune.Cannot, Refused: true, Problem: "it weakens durability"},
		{Layer: knob.Server, Key: key("maxmemory-policy"), Now: "noeviction", Then: "allkeys-lru", State: tune.ToChange},
		{Layer: knob.Server, Key: key("save"), Now: "3600 1", Then: "", State: tune.ToChange},
	}}
}

// TestFstabEntries checks that a line of /etc/fstab is found by its mount point.
func TestFstabEntries(t *testing.T) {
	const fstab = "# UUID=0 /data xfs defaults 0 0\nUUID=1 / ext4 errors=remount-ro 0 1\n\nUUID=2\t/data xfs defaults,nofail,_netdev\nUUID=3 /my\\040data ext4 noatime 0 2 # mine\n"
	for point, want := range map[string]string{
		"/": "UUID=1 / ext4 errors=remount-ro 0 1", "/data": "UUID=2 /data xfs defaults,nofail,_netdev 0 0",
		"/my data": `UUID=3 /my\040data ext4 noatime 0 2`, "/other": "",
	} {
		if got := strings.Join(entryOf(fstab, point), " "); got != want {
			t.Errorf("%s: %q, want %q", point, got, want)
		}
	}
}

// TestSpellings checks values that a format spells otherwise than plinth.
func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		change tune.Change
		format string
		want   string
	}{
		{tune.Change{Layer: knob.Placement, Key: knob.ParseKey("numa_policy"), Then: "interleave 0-1", State: tune.Cannot, Needs: knob.OpenHeld}, "systemd", "NUMAPolicy=interleave\nNUMAMask=0-1\n"},
		{tune.Change{Layer: knob.Kernel, Key: knob.ParseKey("nr_hugepages@0"), Then: "512", State: tune.ToChange}, "kernel-cmdline", "hugepages=0:512"},
		{tune.Change{Layer: knob.Server, Key: knob.ParseKey("client-output-buffer-limit"), Then: "replica 256mb 64mb 60 pubsub 32mb 8mb 60", State: tune.ToChange}, "redis.conf", "client-output-buffer-limit replica 256mb 64mb 60\nclient-output-buffer-limit pubsub 32mb 8mb 60\n"},
		{tune.Change{Layer: knob.Server, Key: knob.ParseKey("save"), Then: "900 1 60 10000", State: tune.ToChange}, "redis.conf", "save \"\"\nsave 900 1\nsave 60 10000\n"},
	} {
		files, err := Render(&tune.Plan{Changes: []tune.Change{c.change}}, c.format)
		if err != nil || !strings.Contains(files[0].Content, c.want) {
			t.Errorf("%s: %v, %+v", c.change.Key, err, files)
		}
	}
}

// TestFormats compares every format with a golden file.
func TestFormats(t *testing.T) {
	for _, name := range Formats() {
		files, err := Render(plan(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var b strings.Builder
		for _, f := range files {
			b.WriteString("==== " + f.Name + "\n" + f.Content)
		}
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != b.String() {
			t.Errorf("%s (go test -update writes it anew): %v\n%s", name, err, b.String())
		}
		if strings.Contains(b.String(), "fsync") || strings.Contains(b.String(), "numa_balancing") {
			t.Errorf("%s has what must not be set, or cannot:\n%s", name, b.String())
		}
	}
}

// TestRefused covers an unknown format, one that holds nothing of the plan, and a value with a
// control character.
func TestRefused(t *testing.T) {
	one := func(c tune.Change) *tune.Plan { return &tune.Plan{Changes: []tune.Change{c}} }
	swappiness := tune.Change{Layer: knob.Kernel, Key: knob.ParseKey("vm.swappiness"), Files: []string{"/proc/sys/vm/swappiness"}, Then: "1"}
	for _, tc := range []struct {
		plan           *tune.Plan
		format         string
		error, theHint string
	}{
		{plan(), "sysctld", `there is no format "sysctld"`, "did you mean sysctl.d?"},
		{one(swappiness), "udev", "the format udev cannot hold any change of this plan", "use one of sysctl.d, tuned"},
		{one(tune.Change{Layer: knob.Server, Key: knob.ParseKey("cluster_name"), Then: "a\nb"}), "postgresql.conf", "control character", ""},
		{&tune.Plan{}, "shell", "the format shell cannot hold any change of this plan", "no file can hold the changes"},
	} {
		_, err := Render(tc.plan, tc.format)
		if err == nil || !strings.Contains(err.Error(), tc.error) || !strings.Contains(hint.Of(err), tc.theHint) {
			t.Errorf("%s: error %v, hint %q; want %s, %s", tc.format, err, hint.Of(err), tc.error, tc.theHint)
		}
	}
}

// TestSysctlIsThePlan checks that sysctl(8) would set exactly the planned values, in order.
func TestSysctlIsThePlan(t *testing.T) {
	files, err := Render(plan(), "sysctl.d")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.conf")
	if err := os.WriteFile(path, []byte(files[0].Content), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sysctl", "--dry-run", "-p", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var want strings.Builder
	for _, c := range plan().Changes {
		if isSysctl(c) && c.State != tune.NotApplicable {
			want.WriteString(c.Key.Knob + " = " + c.Then + "\n")
		}
	}
	if string(out) != want.String() {
		t.Errorf("sysctl reads\n%s\nand the plan is\n%s", out, want.String())
	}
}

// TestShellIsAScript checks that a shell runs the script, that it writes the planned values, and
// that quotes in values survive.
func TestShellIsAScript(t *testing.T) {
	files, err := Render(plan(), "shell")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"sysctl", "psql", "redis-cli", "mount"} { // they print their arguments
		script := "#!/bin/sh\nprintf '" + name + "'; printf ' <%s>' \"$@\"; echo\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := strings.Replace(files[0].Content, `>"$file"`, `| sed "s|^|$file: |; s|$|\n|"`, 1)
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"sysctl <-w> <vm.dirty_background_bytes=268435456>\n",
		"/sys/block/nvme0n1/queue/scheduler: none\n",
		`<ALTER SYSTEM SET "cluster_name" = 'it''s a \ name'>`,
		"redis-cli <-e> <CONFIG> <SET> <save> <>\n",
		"<SELECT pg_reload_conf()>",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %s:\n%s", want, out)
		}
	}
}

func TestMerged(t *testing.T) {
	for _, tc := range []struct{ there, wanted, want string }{
		{"rw,relatime,errors=remount-ro", "noatime,commit=30", "rw,errors=remount-ro,noatime,commit=30"},
		{"rw,noatime,commit=5", "commit=30", "rw,noatime,commit=30"},
		{"defaults", "noatime", "defaults,noatime"},
		{"rw,discard", "nodiscard", "rw,nodiscard"},
		{"", "noatime", "noatime"},
	} {
		if got := merged(tc.there, tc.wanted); got != tc.want {
			t.Errorf("%q with %q is %q, want %q", tc.there, tc.wanted, got, tc.want)
		}
	}
}
