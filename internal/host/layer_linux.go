package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"plinth/internal/host/sysfs"
)

// device adds a device and everything below it, unless it was added before: a place may use
// one disk through several layers.
func (s *stack) device(name string) {
	if s.seen[name] {
		return
	}
	s.seen[name] = true
	at := len(s.place.Layers)
	s.place.Layers = append(s.place.Layers, Layer{Name: name})
	// The calls below look append further layers.
	layer := s.look(name)
	layer.Name = name
	layer.ReadAhead = figure(s.root, classDir+name+"/queue/read_ahead_kb", kib)
	s.place.Layers[at] = layer
	if layer.Kind == "drbd" {
		s.place.Remote = append(s.place.Remote, drbd(s.root, name))
	}
}

// look describes a device and continues with those below it.
func (s *stack) look(name string) Layer {
	dir := classDir + name
	switch {
	case exists(s.root, dir+"/partition"):
		return s.partition(name)
	case exists(s.root, dir+"/loop/backing_file"):
		return s.loop(dir)
	}
	below, _ := fs.ReadDir(s.root, dir+"/slaves")
	if len(below) == 0 {
		return s.bottom(name)
	}
	layer := describe(s.root, name)
	for _, device := range below {
		layer.On = append(layer.On, device.Name())
		s.device(device.Name())
	}
	return layer
}

// partition finds the disk with a directory for the partition. The disk may be an array or
// any other device that can be partitioned.
func (s *stack) partition(name string) Layer {
	layer := Layer{Kind: "partition"}
	all, _ := fs.ReadDir(s.root, "sys/block")
	for _, disk := range all {
		if exists(s.root, "sys/block/"+disk.Name()+"/"+name+"/partition") {
			layer.On = []string{disk.Name()}
			s.device(disk.Name())
			return layer
		}
	}
	s.place.gap("disks", fmt.Errorf("/sys/block does not show the disk of partition %s", name))
	return layer
}

// loop continues with the filesystem of a loop device's file. The path is as seen by the
// process that set it up; the kernel appends " (deleted)" if the file was deleted
// (drivers/block/loop.c).
func (s *stack) loop(dir string) Layer {
	text, _ := fs.ReadFile(s.root, dir+"/loop/backing_file")
	file := strings.TrimSuffix(string(text), "\n")
	layer := Layer{Kind: "loop", Detail: file}
	if sysfs.Word(s.root, dir+"/loop/dio") == "1" {
		layer.Detail += ", direct"
	}
	if strings.HasSuffix(file, " (deleted)") {
		s.place.gap("disks", errors.New("the file of a loop device was deleted: "+file))
		return layer
	}
	f, err := s.filesystemOf(file)
	if err != nil {
		s.place.gap("disks", fmt.Errorf("the file of a loop device, %s, is not visible from here: %w", file, rootCause(err)))
		return layer
	}
	layer.On = s.filesystem(f)
	return layer
}

// bottom describes a device that is not stacked on another.
func (s *stack) bottom(name string) Layer {
	switch {
	case isDisk(s.root, name):
		s.place.Disks = append(s.place.Disks, name)
		if r, is := remoteDisk(s.root, name); is {
			s.place.Remote = append(s.place.Remote, r)
		}
		return Layer{Kind: "disk"}
	case isNumbered(name, "zram"), isNumbered(name, "ram"):
		s.place.InMemory = true
		return Layer{Kind: strings.TrimRight(name, "0123456789")}
	}
	s.place.gap("disks", fmt.Errorf("/sys shows nothing below %s", name))
	return describe(s.root, name)
}
