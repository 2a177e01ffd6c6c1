//go:build linux

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/host/proc"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
)

// procfs is another parser of the same files: both must return the same for the same bytes.

func procOf(t *testing.T, root string) procfs.FS {
	t.Helper()
	machine, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// textOf returns the text of a file; false where this machine lacks it.
func textOf(t *testing.T, root, name string) ([]byte, bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if os.IsNotExist(err) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return text, true
}

func same(t *testing.T, what string, ours, theirs any) {
	t.Helper()
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("%s: ours is %v, theirs %v", what, ours, theirs)
	}
}

func TestStatAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		text, _ := textOf(t, root, "proc/stat")
		var ours proc.Stat
		if err := ours.Parse(text); err != nil {
			t.Fatal(err)
		}
		theirs, err := procOf(t, root).Stat()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "online", ours.Online(), len(theirs.CPU))
		same(t, "all", seconds(ours.Total), theirs.CPUTotal)
		for i, cpu := range ours.CPUs {
			same(t, fmt.Sprint("cpu", i), seconds(cpu), theirs.CPU[int64(i)])
		}
		want := [...]proc.Value{{N: theirs.IRQTotal, There: true}, {N: theirs.ContextSwitches, There: true}, {N: theirs.ProcessCreated, There: true},
			{N: theirs.ProcessesRunning, There: true}, {N: theirs.ProcessesBlocked, There: true}}
		same(t, "the rest", ours.Counts, want)
	})
}

func seconds(c proc.CPUTicks) procfs.CPUStat {
	s := func(mode int) float64 { return float64(c.Modes[mode]) / proc.Ticks }
	return procfs.CPUStat{User: s(0), Nice: s(1), System: s(2), Idle: s(3), Iowait: s(4), IRQ: s(5),
		SoftIRQ: s(6), Steal: s(7), Guest: s(8), GuestNice: s(9)}
}

func TestSchedstatAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		text, there := textOf(t, root, "proc/schedstat")
		if !there {
			return
		}
		theirs, err := procOf(t, root).Schedstat()
		if err != nil {
			t.Fatal(err)
		}
		want := uint64(0)
		for _, cpu := range theirs.CPUs {
			want += cpu.WaitingNanoseconds
		}
		delay, cpus, err := proc.RunDelay(text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "CPUs", cpus, len(theirs.CPUs))
		same(t, "run_delay", delay, want)
	})
}

func TestMeminfoAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		r := readings(t, Options{Root: root}, "meminfo")
		defer r.source.Close()
		r.mustRead()
		r.mustRead()
		theirs, err := procOf(t, root).Meminfo()
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := r.cut()
		for _, m := range meminfoMetrics {
			name := strings.ReplaceAll(strings.TrimPrefix(m.Name, "meminfo."), "_", "")
			if m.Unit == "bytes" {
				name += "Bytes"
			}
			want := reflect.ValueOf(theirs).FieldByName(name)
			if want.IsNil() {
				continue
			}
			same(t, m.Name, columns[m.Name][0], float64(want.Elem().Uint()))
		}
	})
}

// TestVmstatAgrees compares with words and numbers scanned here: procfs does not read
// /proc/vmstat.
func TestVmstatAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		text, _ := textOf(t, root, "proc/vmstat")
		theirs := map[string]uint64{}
		for line := range strings.Lines(string(text)) {
			var name string
			var n uint64
			if _, err := fmt.Sscan(line, &name, &n); err != nil {
				t.Fatal(err)
			}
			theirs[name] = n
		}
		source, err := openVmstat(&machine{Options: Options{Root: root}})
		if err != nil {
			t.Fatal(err)
		}
		ours := source.(*tally)
		if err := ours.keys.Parse(text, ours.values); err != nil {
			t.Fatal(err)
		}
		for name, i := range ours.keys {
			n, there := theirs[name]
			same(t, name, ours.values[i], proc.Value{N: n, There: there})
		}
	})
}

func TestPressureAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		for _, resource := range resources {
			text, there := textOf(t, root, "proc/pressure/"+resource)
			if !there {
				continue
			}
			theirs, err := procOf(t, root).PSIStatsForResource(resource)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := proc.Pressure(text)
			if err != nil {
				t.Fatal(err)
			}
			same(t, resource+" some", ours[0], proc.Value{N: theirs.Some.Total, There: true})
			if theirs.Full != nil {
				same(t, resource+" full", ours[1], proc.Value{N: theirs.Full.Total, There: true})
			}
		}
	})
}

func TestDiskstatsAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		machine, err := blockdevice.NewFS(filepath.Join(root, "proc"), filepath.Join(root, "sys"))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := machine.ProcDiskstats()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := textOf(t, root, "proc/diskstats")
		for _, disk := range theirs {
			var line []byte
			line, text = proc.CutLine(text)
			name, rest := proc.CutDisk(line)
			same(t, "name", string(name), disk.DeviceName)
			var ours proc.Disk
			same(t, "columns", proc.CutNumbers(rest, ours[:])+3, disk.IoStatsCount)
			same(t, disk.DeviceName, fmt.Sprint(ours), strings.ReplaceAll(fmt.Sprint(disk.IOStats), "{", "[")[:len(fmt.Sprint(ours))-1]+"]")
		}
	})
}

func TestNetdevAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		theirs, err := procOf(t, root).NetDev()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := textOf(t, root, "proc/net/dev")
		found := 0
		for len(text) > 0 {
			var line []byte
			line, text = proc.CutLine(text)
			var n proc.NetNumbers
			name, ok := proc.Interface(line, &n)
			if !ok {
				continue
			}
			found++
			same(t, string(name), procfs.NetDevLine{Name: string(name),
				RxBytes: n[0], RxPackets: n[1], RxErrors: n[2], RxDropped: n[3], RxFIFO: n[4], RxFrame: n[5], RxCompressed: n[6], RxMulticast: n[7],
				TxBytes: n[8], TxPackets: n[9], TxErrors: n[10], TxDropped: n[11], TxFIFO: n[12], TxCollisions: n[13], TxCarrier: n[14], TxCompressed: n[15],
			}, theirs[string(name)])
		}
		same(t, "interfaces", found, len(theirs))
	})
}

func TestProcessAgrees(t *testing.T) {
	everyRoot(t, func(t *testing.T, root string) {
		entries, err := os.ReadDir(filepath.Join(root, "proc"))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			var pid int
			if _, err := fmt.Sscanf(entry.Name(), "%d", &pid); err == nil {
				processAgrees(t, root, pid)
			}
		}
	})
}

func processAgrees(t *testing.T, root string, pid int) {
	t.Helper()
	machine, err := procOf(t, root).Proc(pid)
	if err != nil {
		t.Fatal(err)
	}
	dir := fmt.Sprintf("proc/%d/", pid)
	text, _ := textOf(t, root, dir+"stat")
	ours, err := parseProcessStat(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	theirs, err := machine.Stat()
	if err != nil {
		t.Fatal(err)
	}
	same(t, dir+"stat", []uint64{uint64(ours.parent), uint64(ours.threads), ours.started,
		ours.self[useMinor], ours.self[useMajor], ours.waited[useMinor], ours.waited[useMajor],
		ours.self[useUser], ours.self[useSystem], ours.waited[useUser], ours.waited[useSystem]},
		[]uint64{uint64(theirs.PPID), uint64(theirs.NumThreads), theirs.Starttime,
			uint64(theirs.MinFlt), uint64(theirs.MajFlt), uint64(theirs.CMinFlt), uint64(theirs.CMajFlt),
			uint64(theirs.UTime), uint64(theirs.STime), uint64(theirs.CUTime), uint64(theirs.CSTime)})
	if text, there := textOf(t, root, dir+"io"); there {
		theirs, err := machine.IO()
		if err != nil {
			t.Fatal(err)
		}
		var ours [2]proc.Value
		if err := proc.IOFields.Parse(text, ours[:]); err != nil {
			t.Fatal(err)
		}
		same(t, dir+"io", ours, [2]proc.Value{{N: theirs.ReadBytes, There: true}, {N: theirs.WriteBytes, There: true}})
	}
	if text, there := textOf(t, root, dir+"statm"); there {
		theirs, err := machine.Statm()
		if err != nil {
			t.Fatal(err)
		}
		resident, shared, ok := proc.Statm(text)
		same(t, dir+"statm", []any{resident, shared, ok}, []any{theirs.Resident, theirs.Shared, true})
	}
	if text, there := textOf(t, root, dir+"schedstat"); there {
		theirs, err := machine.Schedstat()
		if err != nil {
			t.Fatal(err)
		}
		ours, ok := proc.ParseSchedstat(text)
		same(t, dir+"schedstat", []any{ours, ok}, []any{proc.Schedstat{Running: theirs.RunningNanoseconds, Waiting: theirs.WaitingNanoseconds, Slices: theirs.RunTimeslices}, true})
	}
}
