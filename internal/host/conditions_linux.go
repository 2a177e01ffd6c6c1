package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// ReadConditions reads the settings of this machine and the limits of this
// process. A file that is there and may not be read says so as its value.
func ReadConditions() (Conditions, error) {
	c, err := readConditions(os.DirFS("/"))
	if err == nil {
		err = c.addOwnLimits()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the conditions of this machine: %w", err)
	}
	return c, nil
}

// readConditions reads what the file system below root tells.
func readConditions(root fs.FS) (Conditions, error) {
	if _, err := fs.Stat(root, "proc/stat"); err != nil {
		return nil, err // not a machine, or one without /proc
	}
	c := Conditions{}
	c.addFrequency(root)
	c.addSwap(root)
	c.addMemory(root)
	c.addDisks(root)
	c.addQuotas(root)
	return c, nil
}

// add adds a setting that is the content of a file.
func (c Conditions) add(root fs.FS, name, file string) {
	if value, there := setting(root, file); there {
		c[name] = value
	}
}

// setting is the content of a file of one line, with its white space folded; of
// several choices ("always [madvise] never") the one in brackets.
func setting(root fs.FS, file string) (value string, there bool) {
	text, err := fs.ReadFile(root, file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOTDIR):
		return "", false
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP):
		return "", false // the file is there, what it tells of is not
	case err != nil:
		return "cannot be read", true
	}
	return chosen(strings.Join(strings.Fields(string(text)), " ")), true
}

// chosen is the word in brackets, if there is one.
func chosen(choices string) string {
	_, rest, found := strings.Cut(choices, "[")
	word, _, closed := strings.Cut(rest, "]")
	if found && closed {
		return word
	}
	return choices
}

// memorySettings are those of the kernel's memory management
// (Documentation/admin-guide/sysctl/vm.rst, Documentation/admin-guide/mm/transhuge.rst).
var memorySettings = []struct{ name, file string }{
	{"transparent_hugepage", "sys/kernel/mm/transparent_hugepage/enabled"},
	{"transparent_hugepage defrag", "sys/kernel/mm/transparent_hugepage/defrag"},
	{"vm.swappiness", "proc/sys/vm/swappiness"},
	{"vm.overcommit_memory", "proc/sys/vm/overcommit_memory"},
	{"vm.nr_hugepages", "proc/sys/vm/nr_hugepages"},
	{"kernel.numa_balancing", "proc/sys/kernel/numa_balancing"},
}

func (c Conditions) addMemory(root fs.FS) {
	for _, s := range memorySettings {
		c.add(root, s.name, s.file)
	}
	dirty, _ := fs.Glob(root, "proc/sys/vm/dirty_*")
	for _, file := range dirty {
		c.add(root, "vm."+path.Base(file), file)
	}
}

// addDisks adds the settings of the disks' queues (Documentation/block/queue-sysfs.rst).
// Disks have a device; loop, RAM, device mapper and RAID devices stand on
// others, and come and go with who uses them.
func (c Conditions) addDisks(root fs.FS) {
	devices, _ := fs.Glob(root, "sys/block/*/device")
	for _, device := range devices {
		disk := path.Dir(device)
		c.add(root, path.Base(disk)+" scheduler", disk+"/queue/scheduler")
		c.add(root, path.Base(disk)+" read_ahead_kb", disk+"/queue/read_ahead_kb")
	}
}
