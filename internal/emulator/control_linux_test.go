package emulator

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
)

// served returns a server without a front, to test its orders.
func served(t testing.TB) *server {
	t.Helper()
	backing := filepath.Join(t.TempDir(), "backing")
	if err := os.WriteFile(backing, make([]byte, blockSize), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := openDisk(Config{Backing: backing, Size: blockSize, Device: device.Device{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(nil, d, &requests{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(s.alarm); _ = d.store.close() })
	return s
}

func TestOrders(t *testing.T) {
	s := served(t)
	for line, want := range map[string]string{
		`{"do":"refill"}`:    "",
		`{"do":"power-cut"}`: "",
		`{"do":"power-on"}`:  "",
		`{"do":"calibrate","path":{"read":50000,"write":60000}}`: "",
		`{"do":"calibrate","path":{"read":-1,"write":1}}`:        "has no argument",
		`{"do":"calibrate"}`:          "has no argument",
		`{"do":"device"}`:             "has no argument",
		`{"do":"device","device":{}}`: "",
		`{"do":"device","device":{"name":"x","read":{"median":"1ms"},"write":{"median":"1ms"}}}`: "",
		`{"do":"device","device":{"name":"x","read":{"median":"2ms","p99":"1ms"}}}`:              "below the median",
		`{"do":"device","device":{"name":"x","read":{"median":7}}}`:                              "cannot read the command",
		`{"do":"dance"}`: "is not a command",
		`not JSON`:       "cannot read the command",
		``:               "cannot read the command",
		`[]`:             "cannot read the command",
	} {
		if got := s.obey([]byte(line)).Error; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte(`{"do":"device","device":{"name":"x","iops":{"rate":1}}}`))
	f.Add([]byte(`{"do":"read"}`))
	f.Add([]byte(`{"do":"calibrate","path":{"read":1}}`))
	s := served(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, err := json.Marshal(s.obey(line)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestStrangers sends garbage to a running emulator, which must keep serving.
func TestStrangers(t *testing.T) {
	e := begin(t, device.Device{})
	for _, said := range [][]byte{nil, []byte("\n"), []byte("GET / HTTP/1.0\r\n\r\n"), bytes.Repeat([]byte{0xff}, 2*lineLimit)} {
		conn, err := net.Dial("unix", e.config.Socket)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = conn.Write(said) // the emulator may hang up early
		_ = conn.Close()
	}
	if _, err := e.Reading(t.Context()); err != nil {
		t.Error(err)
	}
	if err := e.SetDevice(t.Context(), device.Device{Name: "x", Read: device.Latency{Median: -1}}); err == nil {
		t.Error("an impossible device was accepted")
	}
	info, err := os.Stat(e.config.Socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
}
