package volume

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

func TestCommands(t *testing.T) {
	storage := experiment.Storage{
		Data: experiment.Volume{RAID: "10", Chunk: 64 * unit.KiB, ReadAhead: 64 * unit.KiB, Filesystem: "xfs",
			Mount: []string{"noatime", "allocsize=64m"}, Scheduler: "none",
			Members: []experiment.Disk{{Device: "/dev/xvdb"}, {Device: "/dev/xvdc", Erase: true}, {Device: "/dev/xvdd"}, {Device: "/dev/xvde"}}},
		WAL:  experiment.Volume{Disk: experiment.Disk{Device: "/dev/nvme1n1", Erase: true}, Mkfs: []string{"-E", "stride=16", "-b", "4096"}},
		Temp: experiment.Volume{Disk: experiment.Disk{File: "/var/tmp/a disk.img", Size: 8 * unit.GiB}, Filesystem: "btrfs"},
		Tablespaces: []experiment.Tablespace{
			{Name: "cold", Volume: experiment.Volume{Disk: emulatedDisk("/mnt/fast")}},
			{Name: "far", Volume: experiment.Volume{Directory: "/mnt/far"}},
			{Name: "pool", Volume: experiment.Volume{Disk: experiment.Disk{Device: "/dev/sdq"}, Filesystem: "zfs", Mkfs: []string{"-o", "ashift=12"}}},
		},
	}
	var lines []string
	var sketch Sketch
	commands, places, err := sketch.Commands("one", storage)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		lines = append(lines, c.String())
	}
	got := strings.Join(lines, "\n") + "\n"
	want, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("commands are\n%s\nwant\n%s", got, want)
	}
	for _, part := range storage.Parts() {
		if place := places[part.Role]; !strings.Contains(got, "\nmkdir --mode=0700 "+place+"\n") {
			t.Errorf("no command makes %s, where the server would find its %s", place, part.Role)
		}
	}
}

// TestCommandsCountOn checks that environments, which are up side by side, use different loop
// devices and arrays.
func TestCommandsCountOn(t *testing.T) {
	storage := experiment.Storage{
		Data: experiment.Volume{RAID: "1", Members: []experiment.Disk{{Device: "/dev/sdx"}, {Device: "/dev/sdy"}}},
		Temp: experiment.Volume{Disk: experiment.Disk{File: "/x", Size: unit.GiB}},
	}
	var sketch Sketch
	for n, environment := range []string{"one", "two"} {
		commands, _, err := sketch.Commands(environment, storage)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(commands)
		for _, path := range []string{"/dev/loop", "/dev/md"} {
			if !strings.Contains(text, fmt.Sprintf("%s%d ", path, n)) || strings.Contains(text, fmt.Sprintf("%s%d ", path, 1-n)) {
				t.Errorf("%s has not %s%d, or another one: %s", environment, path, n, text)
			}
		}
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"plain-word.1": "plain-word.1", "": "''", "two words": "'two words'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a;b": "'a;b'", "~": "'~'",
	} {
		if got := quote(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

// TestExtendedOptionsAreJoined checks that plinth's extended options are kept and followed by the
// user's, in either syntax of -E.
func TestExtendedOptionsAreJoined(t *testing.T) {
	for options, want := range map[string]string{
		"":                                "-q -F -E " + quiet,
		"-E stride=16":                    "-q -F -E " + quiet + ",stride=16",
		"-Estride=16 -b 4096 -E resize=1": "-q -F -E " + quiet + ",stride=16,resize=1 -b 4096",
		"-m 0 -O ^has_journal":            "-q -F -E " + quiet + " -m 0 -O ^has_journal",
	} {
		if got := strings.Join(ext4Arguments("", strings.Fields(options)), " "); got != want {
			t.Errorf("%q: %s, want %s", options, got, want)
		}
	}
}

func TestLastWords(t *testing.T) {
	for said, want := range map[string]string{
		"": "", "one\n\n": "one", "a\nb\n \nc\nd\n": "b; c; d",
	} {
		if got := lastWords(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
