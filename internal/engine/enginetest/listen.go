package enginetest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// listeners returns where a process listens for TCP connections.
func listeners(t *testing.T, pid int) (found []netip.AddrPort) {
	t.Helper()
	own := map[string]bool{}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	must(t, "Glob", err)
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil { // else it was closed meanwhile
			own[name] = true
		}
	}
	for _, family := range []string{"tcp", "tcp6"} {
		table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, family)) // a kernel without IPv6 has no tcp6
		for line := range strings.Lines(string(table)) {
			if address, inode, is := listener(line); is && own["socket:["+inode+"]"] {
				found = append(found, address)
			}
		}
	}
	if len(links) == 0 {
		t.Fatalf("the sockets of process %d cannot be read", pid)
	}
	return found
}

// listener parses a line of /proc/net/tcp (proc_pid_net(5)). The kernel prints addresses as words
// in the byte order of the machine.
func listener(line string) (address netip.AddrPort, inode string, is bool) {
	const stateListen = "0A"
	fields := strings.Fields(line)
	if len(fields) < 10 || fields[3] != stateListen {
		return address, "", false
	}
	words, portText, _ := strings.Cut(fields[1], ":")
	raw, err := hex.DecodeString(words)
	if err != nil || len(raw)%4 != 0 {
		return address, "", false
	}
	for at := 0; at < len(raw); at += 4 {
		binary.NativeEndian.PutUint32(raw[at:], binary.BigEndian.Uint32(raw[at:]))
	}
	ip, _ := netip.AddrFromSlice(raw)
	port, err := strconv.ParseUint(portText, 16, 16)
	return netip.AddrPortFrom(ip, uint16(port)), fields[9], err == nil && ip.IsValid()
}
