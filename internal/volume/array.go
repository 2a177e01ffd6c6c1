package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// array is the journal entry of an array.
type array struct {
	Device  string   `json:"device"` // "/dev/md127"
	UUID    string   `json:"uuid"`   // chosen by plinth
	Members []string `json:"members"`
	// Emulators are the places of emulated members.
	Emulators []string `json:"emulators,omitempty"`
}

// arrayPrefix is the prefix of array paths. Tests override it, for kernels without md.
var arrayPrefix = "/dev/md"

// arrays is the number of array numbers that are tried; mdadm itself counts down from 127.
const arrays = 128

// makeArray creates an array of the volume's disks.
func (v *Volume) makeArray(ctx context.Context) (string, error) {
	a := array{UUID: v.newUUID(), Emulators: v.mounts()}
	for _, d := range v.disks {
		a.Members = append(a.Members, d.path)
	}
	var err error
	if a.Device, err = v.freeArray(); err != nil {
		return "", err
	}
	args := createArguments(a.Device, v.part.Volume, a.Members, mdUUID(a.UUID))
	return a.Device, v.take(ctx, step{
		change: func() (change, error) { return a, nil },
		do: func(ctx context.Context) error {
			if _, err := mdadmProgram.run(ctx, v.options.Launcher, args...); err != nil {
				return fmt.Errorf("cannot make an array: %w", err)
			}
			return nil
		},
		typed: []Command{mdadmProgram.typed(args...)},
	})
}

func freeArray() (string, error) {
	for n := arrays - 1; n >= 0; n-- {
		path := arrayPrefix + strconv.Itoa(n)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", hint.Errorf("stop an array that is not used (mdadm --stop)", "cannot make an array: all of %s0 to %d are taken", arrayPrefix, arrays-1)
}

// createArguments returns mdadm's arguments. --assume-clean skips the initial resync, which would
// run under the first runs; it is not needed, because all that is read has been written before.
func createArguments(device string, v experiment.Volume, members []string, uuid string) []string {
	args := []string{"--create", device, "--run", "--level=" + v.RAID, "--raid-devices=" + strconv.Itoa(len(members))}
	if v.Chunk > 0 {
		args = append(args, "--chunk="+strconv.FormatInt(int64(v.Chunk/unit.KiB), 10))
	}
	if v.RAID != "0" {
		args = append(args, "--assume-clean")
	}
	if uuid != "" {
		args = append(args, "--uuid="+uuid)
	}
	return slices.Concat(args, members)
}

// mdUUID formats a UUID as mdadm does: four groups of eight digits.
func mdUUID(uuid string) string {
	if uuid == "" {
		return ""
	}
	hex := strings.ReplaceAll(uuid, "-", "")
	return strings.Join([]string{hex[:8], hex[8:16], hex[16:24], hex[24:]}, ":")
}

// undo stops the array and removes its superblock from the members, as far as either is ours.
func (a array) undo(ctx context.Context) error {
	if !strings.HasPrefix(a.Device, arrayPrefix) || len(a.UUID) != 36 {
		return fmt.Errorf("cannot stop %q: the journal entry is incomplete", a.Device)
	}
	for _, mount := range a.Emulators {
		freeHung(mount, waits.answer)
	}
	if err := a.stop(ctx); err != nil {
		return err
	}
	var failures []error
	for _, member := range a.members() {
		failures = append(failures, a.release(ctx, member))
	}
	return errors.Join(failures...)
}

// stop stops the array. If the kernel has assembled it on its own, it has another number.
func (a array) stop(ctx context.Context) error {
	running, _ := filepath.Glob("/sys/block/md*")
	devices := []string{a.Device}
	for _, dir := range running {
		if path := "/dev/" + filepath.Base(dir); path != a.Device {
			devices = append(devices, path)
		}
	}
	for _, device := range devices {
		ours, err := a.isOn(ctx, "--detail", device)
		if err == nil && ours {
			_, err = mdadmProgram.undo(ctx, "--stop", device)
		}
		if err != nil {
			return fmt.Errorf("cannot stop %s: %w", device, err)
		}
	}
	return nil
}

// mdMark is mdadm's superblock on a member (md_p.h: struct mdp_superblock_1, 1.2).
var mdMark = signature{magic: "\xfc\x4e\x2b\xa9", at: 4096, uuid: 4096 + 16}

// members returns the recorded members and all other devices with the array's superblock, since
// device names may have changed.
func (a array) members() []string {
	members := slices.Clone(a.Members)
	for _, device := range searched(a.Members...)[len(a.Members):] {
		if ours, err := mdMark.isOn(device, a.UUID); err == nil && ours {
			members = append(members, device)
		}
	}
	return members
}

// release removes the array's superblock from a member.
func (a array) release(ctx context.Context, member string) error {
	ours, err := a.isOn(ctx, "--examine", member)
	if err == nil && ours {
		_, err = mdadmProgram.undo(ctx, "--zero-superblock", member)
	}
	if err != nil {
		return fmt.Errorf("cannot take %s out of the array: %w", member, err)
	}
	return nil
}

// isOn reports whether mdadm finds the array's UUID on a device. mdadm exits with a nonzero code
// if there is none; if it could not run or was killed, isOn returns an error.
func (a array) isOn(ctx context.Context, how, device string) (bool, error) {
	if _, err := os.Stat(device); err != nil {
		return false, ignoreMissing(err)
	}
	out, err := mdadmProgram.undo(ctx, how, "--export", device)
	var exit *exitError
	if errors.As(err, &exit) && exit.status.Signal == nil {
		return false, nil
	}
	return slices.Contains(strings.Fields(out), "MD_UUID="+mdUUID(a.UUID)), err
}

func raidInWords(v experiment.Volume) string {
	text := fmt.Sprintf("RAID %s of %d devices", v.RAID, len(v.Members))
	if v.Chunk > 0 {
		text += ", chunk " + v.Chunk.String()
	}
	return text
}
