package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"plinth/internal/device"
	"plinth/internal/hint"
)

// writeDevice writes the device file, and says where. What the user names is
// replaced; what plinth names itself never is: an earlier measurement is worth
// something.
func (a *app) writeDevice(d *device.Device, path string) error {
	if d == nil {
		return nil
	}
	if err := d.Check(); err != nil {
		return fmt.Errorf("the figures make no device that can be: %w", err)
	}
	written, err := createDevice(d, path)
	if err != nil {
		return hint.Wrap(fmt.Errorf("cannot write the device file: %w", err), "name another place with --output")
	}
	shown := written
	if !strings.Contains(shown, "/") {
		shown = "./" + shown
	}
	fmt.Fprintf(a.stderr, "wrote %s; emulate it elsewhere with {emulate: %s}; here, pass-through is the disk itself\n", written, shown)
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
