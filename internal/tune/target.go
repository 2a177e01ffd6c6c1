package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/knob"
)

// target holds what a key refers to on this machine.
type target struct {
	name  string   // for display: "nvme0n1", "CPUs 8-13"; "" for the machine
	files []string // of the kernel; none if not a regular file, or this machine has none
}

// targetOf finds the existing files of a knob.
func (r Request) targetOf(k knob.Knob, on string) (target, error) {
	switch k.Scope {
	case knob.OfNode:
		return r.nodes(k, on)
	case knob.OfCPU:
		return r.cpus(k, on)
	case knob.OfIRQ:
		return r.interrupts(k, on)
	case knob.OfDevice:
		return r.devices(k, on)
	case knob.OfMount:
		return target{name: orSelf(r.Targets.Mounts, on)}, nil
	case knob.OfDomain:
		name := cmp.Or(on, r.Targets.Domain)
		if name == "" && r.Domain != nil {
			name = r.Domain.Name()
		}
		return target{name: name}, nil
	case knob.OfServer:
		return target{}, nil
	}
	if k.File == "" {
		return target{}, nil
	}
	files, err := r.Machine.Match(k.File)
	return target{files: files}, err
}

func orSelf(roles map[string]string, on string) string {
	if name := roles[on]; name != "" {
		return name
	}
	return on
}

// nodes finds the files of one NUMA node, or of all.
func (r Request) nodes(k knob.Knob, on string) (target, error) {
	number := strings.TrimPrefix(on, "node")
	if on == "" {
		number = "[0-9]*"
	} else if _, err := strconv.Atoi(number); err != nil {
		return target{}, hint.Errorf("write a node as in node0", "cannot parse the node of %s@%s", k.Name, on)
	}
	pattern := k.Path(number)
	if page := r.meminfo("/proc/meminfo")["Hugepagesize"]; page > 0 {
		// Servers use pages of the default size, which vm.nr_hugepages counts: 1 GiB if the kernel was
		// started so, 512 MiB with 64 KiB pages of arm64.
		pattern = strings.Replace(pattern, "hugepages-2048kB", fmt.Sprintf("hugepages-%dkB", page>>10), 1)
	}
	files, err := r.Machine.Match(pattern)
	if err == nil && on != "" {
		on = "node " + number
	}
	return target{on, files}, err
}

// cpus finds the files of some CPUs, or of all.
func (r Request) cpus(k knob.Knob, on string) (target, error) {
	if on == "" {
		files, err := r.Machine.Match(k.Path("[0-9]*"))
		byNumber(files)
		return target{"all CPUs", files}, err
	}
	list, err := host.ParseRanges(on)
	if err != nil {
		return target{}, hint.Errorf("write CPUs as in 0-3,8", "cannot parse the CPUs of %s@%s: %w", k.Name, on, err)
	}
	t := target{name: "CPUs " + on}
	for _, n := range list {
		files, err := r.Machine.Match(k.Path(strconv.Itoa(n)))
		if err != nil {
			return target{}, err
		}
		t.files = append(t.files, files...)
	}
	return t, nil
}

// devices finds the files of a disk, or of all disks that have a role.
func (r Request) devices(k knob.Knob, on string) (target, error) {
	t := target{name: orSelf(r.Targets.Devices, on)}
	for name := range strings.SplitSeq(t.name, ",") {
		files, err := r.Machine.Match(k.Path(deviceName(name)))
		if err != nil {
			return target{}, err
		}
		t.files = append(t.files, files...)
	}
	return t, nil
}

// deviceName returns a device's name in /sys: "cciss!c0d0" for /dev/cciss/c0d0.
func deviceName(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(name), "/dev/"), "/", "!")
}

// interrupts finds the files of an interrupt by its number, of those of a disk, or of all.
func (r Request) interrupts(k knob.Knob, on string) (target, error) {
	if on == "" {
		files, err := r.Machine.Match(k.Path("[0-9]*"))
		byNumber(files)
		return target{"all interrupts", files}, err
	}
	irqs := []string{on}
	t := target{name: "interrupt " + on}
	if _, err := strconv.Atoi(on); err != nil {
		t.name = orSelf(r.Targets.Devices, on)
		if irqs, err = r.interruptsOf(t.name); err != nil {
			return target{}, err
		}
		t.name = "interrupts of " + t.name
	}
	for _, irq := range irqs {
		files, err := r.Machine.Match(k.Path(irq))
		if err != nil {
			return target{}, err
		}
		t.files = append(t.files, files...)
	}
	return t, nil
}

// interruptsOf returns the interrupt numbers of a disk. They belong to its PCI device: the parent
// of an NVMe namespace's device (with multipath, of each controller below it), or the sibling of a
// virtio disk's.
func (r Request) interruptsOf(device string) ([]string, error) {
	var irqs []string
	for name := range strings.SplitSeq(device, ",") {
		dir := "/sys/block/" + deviceName(name) + "/device/"
		for _, pattern := range []string{"msi_irqs/*", "device/msi_irqs/*", "nvme[0-9]*/device/msi_irqs/*", "../msi_irqs/*"} {
			files, err := r.Machine.Match(dir + pattern)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				irqs = append(irqs, file[strings.LastIndex(file, "/")+1:])
			}
		}
	}
	slices.Sort(irqs)
	return slices.Compact(irqs), nil
}

// byNumber sorts numerically: cpu10 after cpu9.
func byNumber(files []string) {
	slices.SortStableFunc(files, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

// wordsOf formats the values of several files: the common one, or each with the number of files
// that have it.
func wordsOf(values []string) string {
	var order []string
	count := map[string]int{}
	for _, value := range values {
		if count[value] == 0 {
			order = append(order, value)
		}
		count[value]++
	}
	if len(order) == 1 {
		return order[0]
	}
	parts := make([]string, 0, len(order))
	for _, value := range order {
		parts = append(parts, fmt.Sprintf("%s (%d of %d)", value, count[value], len(values)))
	}
	return strings.Join(parts, ", ")
}
