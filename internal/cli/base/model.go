package base

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// FindDevice returns an entry of the catalog, or an entry for a model file, with fewer facts.
func FindDevice(name string) (device.Entry, error) {
	if !strings.ContainsRune(name, filepath.Separator) && !strings.HasSuffix(name, ".yaml") {
		return device.Find(name)
	}
	data, err := ReadSmall(name)
	if err != nil {
		return device.Entry{}, fmt.Errorf("cannot read the model file %s: %w", name, err)
	}
	d, err := device.ReadFile(data)
	if err != nil {
		return device.Entry{}, fmt.Errorf("%s: %w", name, err)
	}
	return device.Entry{Device: d, Title: "Model file " + name}, nil
}

// ReadSmall reads at most one byte more than a model file may have: a name such as /dev/zero
// must not exhaust memory.
func ReadSmall(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, device.MostFile+1))
	if cause := errors.Unwrap(err); cause != nil {
		return nil, cause
	}
	return data, err
}

// LimitOptions are the words after a device that set its limits: iops=6000, throughput=250MiB/s.
var LimitOptions = map[string]func(o *device.Options, value string) error{
	"iops": func(o *device.Options, value string) (err error) {
		if o.IOPS, err = strconv.ParseFloat(value, 64); err != nil || !(o.IOPS > 0) {
			return hint.Errorf("write a number: iops=6000", "%q is not a number of operations", value)
		}
		return nil
	},
	"throughput": func(o *device.Options, value string) (err error) {
		o.Throughput, err = unit.ParseRate(value)
		return err
	},
}

// NoFile is the name of no model file.
const NoFile = "none"

// WriteDevice writes the model file, and prints its name. It overwrites a file that the user
// named, but never one with a default name: an earlier measurement must not be lost.
func (a *App) WriteDevice(d *device.Device, path string) error {
	if d == nil || path == NoFile {
		return nil
	}
	if err := d.Check(); err != nil {
		return fmt.Errorf("the figures do not describe a valid device: %w", err)
	}
	written, err := createDevice(d, path)
	if err != nil {
		return hint.Wrap(fmt.Errorf("cannot write the model file: %w", err), "choose another path with --output")
	}
	shown := written
	if !strings.Contains(shown, "/") {
		shown = "./" + shown
	}
	fmt.Fprintf(a.Stderr, "wrote %s; emulate it on another machine with {emulate: %s}\n", written, shown)
	return nil
}

func createDevice(d *device.Device, path string) (string, error) {
	if path != "" {
		return path, os.WriteFile(path, d.YAML(), 0o644)
	}
	for n := 1; ; n++ {
		path = d.Name + ".device.yaml"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.device.yaml", d.Name, n)
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return path, err
		}
		_, err = file.Write(d.YAML())
		return path, errors.Join(err, file.Close())
	}
}
