package volume

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
)

// Command is one line of what an administrator would type to lay out storage.
type Command struct {
	Comment string   // in place of a command
	Argv    []string // nil for a comment
	Into    string   // the file that its output goes to; "" for none
}

// String is the line, for a shell.
func (c Command) String() string {
	if c.Argv == nil {
		return "# " + c.Comment
	}
	words := make([]string, len(c.Argv))
	for i, word := range c.Argv {
		words[i] = quote(word)
	}
	line := strings.Join(words, " ")
	if c.Into != "" {
		line += " > " + quote(c.Into)
	}
	return line
}

// plain are the characters that mean nothing to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%^"

func quote(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Commands are what an administrator would type for an environment's storage. They
// are for reading: plinth makes loop devices and settings by system calls, and
// names loop devices and arrays as the kernel has them free. Here they are counted, on
// from one environment to the next.
func (n *Numbers) Commands(environment string, s experiment.Storage) []Command {
	l := lines{environment: environment, numbers: n}
	for _, part := range s.Parts() {
		l.part(part)
	}
	return l.commands
}

// Numbers are how many loop and nbd devices and arrays the commands of all environments
// have named so far: the servers of all stay up side by side.
type Numbers struct{ loops, nbds, arrays int }

// lines collects the commands of an environment.
type lines struct {
	environment string
	numbers     *Numbers
	commands    []Command
}

func (l *lines) say(format string, args ...any) {
	l.commands = append(l.commands, Command{Comment: fmt.Sprintf(format, args...)})
}

func (l *lines) run(argv ...string) { l.commands = append(l.commands, Command{Argv: argv}) }

func (l *lines) part(part experiment.Part) {
	v := part.Volume
	l.say("%s: %s", l.environment, part.Role)
	if v.Directory != "" {
		l.run("mkdir", "--mode=0700", filepath.Join(v.Directory, "plinth-"+l.environment+"-"+part.Name))
		return
	}
	var paths []string
	for n, d := range disksOf(v) {
		paths = append(paths, l.disk(part, n, d))
	}
	block := paths[0]
	if v.RAID != "" {
		block = fmt.Sprintf("/dev/md%d", l.numbers.arrays)
		l.numbers.arrays++
		l.run(append([]string{"mdadm"}, createArguments(block, v, paths, "")...)...)
	}
	l.tune(v, block, paths)
	l.filesystem(part, block)
}

// disk tells how a disk comes to be, and returns its path.
func (l *lines) disk(part experiment.Part, n int, d experiment.Disk) string {
	if d.Device != "" {
		if d.Erase {
			l.run("wipefs", "--all", d.Device)
		}
		return d.Device
	}
	file := d.File
	if d.Emulated() {
		file = filepath.Join(d.Backing, fmt.Sprintf("plinth-%s-%s-disk%d", l.environment, part.Name, n))
	}
	size := "SIZE" // what the data need
	if d.Size > 0 {
		size = d.Size.Exact()
	}
	l.run("fallocate", "--length", size, file)
	if d.Emulated() && emulator.LikelyForm() == emulator.NBD {
		return l.nbd(file, d)
	}
	loop := fmt.Sprintf("/dev/loop%d", l.numbers.loops)
	l.numbers.loops++
	if d.Emulated() {
		image := fmt.Sprintf("/run/plinth/%s-%s/emulator%d/fuse/image", l.environment, part.Name, n)
		l.say("emulated: %s; plinth serves %s as %s, in the time that the model takes", deviceWord(d), file, image)
		file = image
	}
	l.run("losetup", "--direct-io=on", loop, file)
	if model, err := d.Model(); err == nil && d.Emulated() {
		l.echo(cacheWord(model), loop, "write_cache")
	}
	return loop
}

// nbd tells how an emulated disk comes to be where the kernel has nbd.
func (l *lines) nbd(file string, d experiment.Disk) string {
	device := fmt.Sprintf("/dev/nbd%d", l.numbers.nbds)
	l.numbers.nbds++
	l.say("emulated: %s; plinth serves %s as %s, in the time that the model takes", deviceWord(d), file, device)
	for _, s := range likeLoop {
		l.echo(s.value, device, s.name)
	}
	return device
}

// echo sets a setting of a device's queue.
func (l *lines) echo(value, device, name string) {
	file := filepath.Join("/sys/block", sysName(device), "queue", name)
	l.commands = append(l.commands, Command{Argv: []string{"echo", value}, Into: file})
}

func deviceWord(d experiment.Disk) string {
	model, err := d.Model()
	if err != nil || model.Name == "" {
		return d.Emulate.Name
	}
	return model.Name
}

func (l *lines) tune(v experiment.Volume, block string, disks []string) {
	if v.Scheduler != "" {
		for _, d := range disks {
			l.echo(v.Scheduler, d, "scheduler")
		}
	}
	if v.ReadAhead > 0 {
		l.run("blockdev", "--setra", strconv.FormatInt(int64(v.ReadAhead/sectorSize), 10), block)
	}
}

func (l *lines) filesystem(part experiment.Part, block string) {
	v, kind := part.Volume, part.Volume.FilesystemOr()
	target := filepath.Join("/run/plinth", l.environment+"-"+part.Name)
	source := block
	if kind == "zfs" {
		source = poolPrefix + l.environment + "-" + part.Name
		l.run(poolArguments(source, block, v.Mkfs)...)
	} else {
		f := filesystems[kind]
		l.run(append(append([]string{f.mkfs.name}, f.arguments("", v.Mkfs)...), block)...)
	}
	l.run("mkdir", "--parents", target)
	l.run(append([]string{"mount"}, mountArguments(kind, v.Mount, source, target)...)...)
	l.run("mkdir", "--mode=0700", filepath.Join(target, "data"))
}

// PlaceOf is the directory that the last of a part's Commands makes: where its
// server would find it.
func PlaceOf(environment string, part experiment.Part) string {
	if part.Volume.Directory != "" {
		return filepath.Join(part.Volume.Directory, "plinth-"+environment+"-"+part.Name)
	}
	return filepath.Join("/run/plinth", environment+"-"+part.Name, "data")
}
