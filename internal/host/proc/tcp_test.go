package proc

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
)

func TestTCPSockets(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the text is that of a little-endian machine")
	}
	const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000    26        0 100 1 0 100 0 0 10 0
   1: 0100007F:1538 0200590A:9D2E 01 00000000:00000000 02:000A 00000000    26        0 200 2 0 20 4 30 10 -1
   2: 0000000000000000FFFF00000100007F:1538 0000000000000000FFFF00000200590A:9D2F 01 00000000:00000000 00:0 0 26 0 300 1 0 1
   3: B80D0120000000000000000001000000:1538 00000000000000000000000001000000:9D30 06 00000000:00000000 00:0 0 26 0 0 1 0 1
   4: 01:1538 02:9D2E 01 00000000:00000000 00:0 0 26 0 400
   5: what is this, a line of ten words or so, really?
`
	at := netip.MustParseAddrPort
	want := []TCPSocket{
		{at("127.0.0.1:5432"), at("0.0.0.0:0"), "0A", "100"},
		{at("127.0.0.1:5432"), at("10.89.0.2:40238"), TCPEstablished, "200"},
		{at("127.0.0.1:5432"), at("10.89.0.2:40239"), TCPEstablished, "300"},
		{at("[2001:db8::1]:5432"), at("[::1]:40240"), "06", "0"},
	}
	if got := TCPSockets(text); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func FuzzTCPSockets(f *testing.F) {
	f.Add("1: 0100007F:1538 0200590A:9D2E 01 0:0 02:0 0 26 0 200")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range TCPSockets(text) {
			if !s.Local.IsValid() || !s.Remote.IsValid() || s.Local.Addr().Is4In6() {
				t.Errorf("%v", s)
			}
		}
	})
}
