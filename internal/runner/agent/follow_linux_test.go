package agent

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"plinth/internal/host"
)

// TestFollow checks that an agent waits for the end of the one before it, and for nothing else.
func TestFollow(t *testing.T) {
	c := connect(t, &fake{})
	self, err := c.Follow(t.Context(), Process{})
	if err != nil || self.PID != os.Getpid() || self.Boot != host.BootID() || self.Started == 0 {
		t.Fatalf("%+v, %v", self, err)
	}
	before := exec.Command("sleep", "infinity")
	if err := before.Start(); err != nil {
		t.Fatal(err)
	}
	stat, err := readStat(before.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	lives := Process{self.Boot, before.Process.Pid, stat.Started}
	if !lives.lives() {
		t.Errorf("%+v does not live", lives)
	}
	for name, gone := range map[string]Process{
		"none":            {},
		"another boot":    {"another", lives.PID, lives.Started},
		"a reused number": {lives.Boot, lives.PID, lives.Started - 1},
	} {
		if _, err := c.Follow(t.Context(), gone); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	followed := make(chan error, 1)
	go func() {
		_, err := c.Follow(t.Context(), lives)
		if lives.lives() {
			err = errors.Join(err, errors.New("it did not wait"))
		}
		followed <- err
	}()
	if err := before.Process.Kill(); err != nil { // a zombie until Wait
		t.Fatal(err)
	}
	if err := <-followed; err != nil {
		t.Error(err)
	}
	_ = before.Wait()
}
