package tune

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"plinth/internal/host"
)

// errCrash simulates the death of plinth: a write that never returns.
var errCrash = errors.New("plinth was killed")

// fakeMachine simulates a kernel as tuning sees it, with files that are coupled as in a real one.
type fakeMachine struct {
	files    map[string]string
	boot     string
	id       string
	mounts   []host.Filesystem
	readOnly bool
	held     []string
	memory   int64 // huge pages that fit into memory
	found    int64 // huge pages that one write allocates at most; 0 for no limit
	// inUse is how often the nodes still report huge pages that a write has freed, since a process uses them.
	inUse int
	freed map[string]string // what they report meanwhile, by file

	refuse map[string]bool // paths that cannot be written

	writes      int
	crashBefore int // the write before which plinth dies; 0 for none
	crashAfter  int
	crashed     bool
	onCrash     func() // saves what is on disk at the crash
}

const (
	dirtyBytes  = "/proc/sys/vm/dirty_bytes"
	dirtyRatio  = "/proc/sys/vm/dirty_ratio"
	bgBytes     = "/proc/sys/vm/dirty_background_bytes"
	bgRatio     = "/proc/sys/vm/dirty_background_ratio"
	swappiness  = "/proc/sys/vm/swappiness"
	hugePages   = "/proc/sys/vm/nr_hugepages"
	nodePages   = "/sys/devices/system/node/node%d/hugepages/hugepages-2048kB/nr_hugepages"
	thp         = "/sys/kernel/mm/transparent_hugepage/enabled"
	minFree     = "/proc/sys/vm/min_free_kbytes"
	scheduler   = "/sys/block/loop7/queue/scheduler"
	nrRequests  = "/sys/block/loop7/queue/nr_requests"
	wbtLat      = "/sys/block/loop7/queue/wbt_lat_usec"
	readAhead   = "/sys/block/loop7/queue/read_ahead_kb"
	governor    = "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor"
	preference  = "/sys/devices/system/cpu/cpu%d/cpufreq/energy_performance_preference"
	meminfoFile = "/proc/meminfo"
)

func newFake() *fakeMachine {
	f := &fakeMachine{boot: host.BootID(), id: Kernel{}.ID(), memory: 100, refuse: map[string]bool{}, files: map[string]string{
		dirtyBytes: "0", dirtyRatio: "20", bgBytes: "0", bgRatio: "10", swappiness: "60",
		"/proc/sys/vm/dirty_expire_centisecs": "3000", "/proc/sys/vm/dirty_writeback_centisecs": "500",
		hugePages: "0", thp: "always [madvise] never", minFree: "67584",
		scheduler: "[none] mq-deadline kyber", nrRequests: "32", wbtLat: "2000", readAhead: "128",
		meminfoFile: "MemTotal:       16000000 kB\nMemAvailable:   12000000 kB\nHugepagesize:       2048 kB\nHugePages_Free:        0\n",
	}}
	for i := range 2 {
		f.files[fmt.Sprintf(nodePages, i)] = "0"
		f.files[fmt.Sprintf(governor, i)] = "powersave"
		f.files[fmt.Sprintf(preference, i)] = "balance_performance"
	}
	return f
}

func (f *fakeMachine) Boot() string { return f.boot }
func (f *fakeMachine) ID() string   { return f.id }

func (f *fakeMachine) Read(path string) (string, error) {
	content, there := f.files[path]
	if !there {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if old, is := f.freed[path]; is && f.inUse > 0 {
		f.inUse--
		return old, nil
	}
	return content, nil
}

func (f *fakeMachine) Writable(path string) error {
	switch {
	case f.readOnly:
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EROFS}
	case f.refuse[path]:
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	_, err := f.Read(path)
	return err
}

func (f *fakeMachine) Match(pattern string) ([]string, error) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if ok, err := path.Match(pattern, name); err != nil {
			return nil, err
		} else if ok {
			found = append(found, name)
		}
	}
	return found, nil
}

func (f *fakeMachine) Mounts() ([]host.Filesystem, error) { return f.mounts, nil }

func (f *fakeMachine) Hold(path string, value []byte) (io.Closer, error) {
	f.held = append(f.held, fmt.Sprintf("%s %v", path, value))
	return &heldFile{f}, nil
}

type heldFile struct{ *fakeMachine }

func (h *heldFile) Close() error { h.held = nil; return nil }

// Remount acts as ext4 does: it replaces flags and changes options of the filesystem. The default
// commit is not shown.
func (f *fakeMachine) Remount(mountPoint string, own, filesystem []string) error {
	f.writes++
	if err := f.die(f.crashBefore); err != nil {
		return err
	}
	for i := range slices.Backward(f.mounts) { // the last mount hides earlier ones
		m := &f.mounts[i]
		if m.MountPoint != mountPoint {
			continue
		}
		var options []string
		for _, o := range own {
			if o != "strictatime" {
				options = append(options, o)
			}
		}
		for _, o := range splitOptions(m.Options) {
			if !isFlag(o) && !slices.ContainsFunc(filesystem, func(n string) bool { return excludes("ext4", n, o) }) {
				options = append(options, o)
			}
		}
		for _, o := range filesystem {
			if !hidden("ext4", o) {
				options = append(options, o)
			}
		}
		m.Options = strings.Join(options, ",")
		break
	}
	return f.die(f.crashAfter)
}

// die simulates the death of plinth at one of its writes.
func (f *fakeMachine) die(at int) error {
	if !f.crashed && at > 0 && f.writes == at {
		f.crashed = true
		if f.onCrash != nil {
			f.onCrash()
		}
	}
	if f.crashed {
		return errCrash
	}
	return nil
}

// Write applies a value as the kernel would.
func (f *fakeMachine) Write(path, value string) error {
	if f.crashed {
		return errCrash
	}
	f.writes++
	if err := f.die(f.crashBefore); err != nil {
		return err
	}
	if err := f.Writable(path); err != nil {
		return err
	}
	if err := f.take(path, value); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return f.die(f.crashAfter)
}

func (f *fakeMachine) take(path, value string) error {
	n, notNumber := strconv.ParseInt(value, 10, 64)
	switch {
	case path == dirtyBytes || path == dirtyRatio || path == bgBytes || path == bgRatio:
		if notNumber != nil {
			return syscall.EINVAL
		}
		return f.dirty(path, n)
	case path == thp || path == scheduler:
		return f.choose(path, value)
	case path == hugePages:
		f.pages(n)
		return nil
	case strings.HasSuffix(path, "kB/nr_hugepages"):
		return f.nodePages(path, n)
	case path == nrRequests && n < 4:
		f.files[path] = "4"
		return nil
	case strings.HasSuffix(path, "/energy_performance_preference"):
		cpu := strings.TrimSuffix(path, "energy_performance_preference")
		if f.files[cpu+"scaling_governor"] == "performance" && value != "performance" {
			return syscall.EBUSY
		}
	case strings.HasSuffix(path, "/scaling_governor"):
		cpu := strings.TrimSuffix(path, "scaling_governor")
		if _, there := f.files[cpu+"energy_performance_preference"]; there && value == "performance" {
			f.files[cpu+"energy_performance_preference"] = "performance"
		}
	}
	f.files[path] = value
	return nil
}

// dirty writes one file of a pair; a changed value zeroes the other file. Zero bytes are refused.
func (f *fakeMachine) dirty(path string, n int64) error {
	partner := map[string]string{dirtyBytes: dirtyRatio, dirtyRatio: dirtyBytes, bgBytes: bgRatio, bgRatio: bgBytes}[path]
	least := map[string]int64{dirtyBytes: 8192, bgBytes: 1}[path]
	if n < least {
		return syscall.EINVAL
	}
	changed := f.files[path] != strconv.FormatInt(n, 10)
	f.files[path] = strconv.FormatInt(n, 10)
	if changed || path == bgRatio {
		f.files[partner] = "0"
	}
	return nil
}

// choose moves the brackets to another word. A new scheduler starts with its own requests and
// latency, and huge pages raise vm.min_free_kbytes.
func (f *fakeMachine) choose(path, value string) error {
	words := offered(f.files[path])
	if !slices.Contains(words, value) {
		return syscall.EINVAL
	}
	if path == scheduler && reading(f.files[path]) != value {
		f.files[nrRequests] = map[string]string{"none": "128"}[value]
		if value != "none" {
			f.files[nrRequests] = "256"
		}
		f.files[wbtLat] = "75000"
	}
	if path == thp && value == "always" {
		f.files[minFree] = "112640"
	}
	for i, word := range words {
		if word == value {
			words[i] = "[" + word + "]"
		}
	}
	f.files[path] = strings.Join(words, " ")
	return nil
}

// pages allocates as many huge pages as memory allows, spread over both nodes.
func (f *fakeMachine) pages(n int64) {
	n = min(n, f.memory)
	if there, _ := strconv.ParseInt(f.files[hugePages], 10, 64); f.found > 0 {
		n = min(n, there+f.found)
	}
	f.files[hugePages] = strconv.FormatInt(n, 10)
	for i, of := range []int64{n - n/2, n / 2} {
		node := fmt.Sprintf(nodePages, i)
		if there, _ := strconv.ParseInt(f.files[node], 10, 64); of < there && f.inUse > 0 {
			f.freed[node] = f.files[node]
		}
		f.files[node] = strconv.FormatInt(of, 10)
	}
}

func (f *fakeMachine) nodePages(path string, n int64) error {
	other := fmt.Sprintf(nodePages, 0)
	if path == other {
		other = fmt.Sprintf(nodePages, 1)
	}
	there, _ := strconv.ParseInt(f.files[other], 10, 64)
	n = min(n, f.memory-there)
	f.files[path] = strconv.FormatInt(n, 10)
	f.files[hugePages] = strconv.FormatInt(n+there, 10)
	return nil
}

// restart simulates a boot: the kernel starts with its own values.
func (f *fakeMachine) restart() {
	fresh := newFake()
	f.boot += "+"
	f.files = fresh.files
}
