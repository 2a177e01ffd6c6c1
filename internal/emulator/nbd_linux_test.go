package emulator

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// nbdSize is more than the largest request.
const nbdSize = nbdLargest + 4*largest

// kernelSide plays the kernel: it is the other end of a device's connection.
type kernelSide struct {
	*nbdClient
	backing string
	disk    *disk
	server  *server
	ended   <-chan error
}

// nbdClient sends requests as the kernel does.
type nbdClient struct{ net.Conn }

// nbdAnswer is a reply.
type nbdAnswer struct {
	errno  syscall.Errno
	cookie uint64
	data   []byte
}

// nbdServed returns a server of d without a kernel.
func nbdServed(t testing.TB, d device.Device) *kernelSide {
	t.Helper()
	k := &kernelSide{backing: filepath.Join(t.TempDir(), "backing")}
	if err := errors.Join(os.WriteFile(k.backing, nil, 0o600), os.Truncate(k.backing, nbdSize)); err != nil {
		t.Fatal(err)
	}
	var err error
	if k.disk, err = openDisk(Config{Backing: k.backing, Size: nbdSize, Device: d}); err != nil {
		t.Fatal(err)
	}
	free := &requests{}
	f, theirs, err := newNBDFront(nbdSize, free)
	if err != nil {
		t.Fatal(err)
	}
	f.path = "nbd"
	k.nbdClient = clientOn(t, theirs)
	if k.server, err = newServer(f, k.disk, free); err != nil {
		t.Fatal(err)
	}
	ended, stopped := make(chan error, 1), make(chan struct{})
	k.ended = ended
	work := k.server.start()
	go func() {
		ended <- <-work
		close(stopped)
	}()
	t.Cleanup(func() {
		_ = k.Close()
		<-stopped
		_ = unix.Close(f.fd)
	})
	return k
}

// safe returns the letter at offset in the backing file.
func (k *kernelSide) safe(t testing.TB, offset uint64) byte {
	t.Helper()
	f, err := os.Open(k.backing)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p [1]byte
	if _, err := f.ReadAt(p[:], int64(offset)); err != nil {
		t.Fatal(err)
	}
	return p[0]
}

func clientOn(t testing.TB, fd int) *nbdClient {
	t.Helper()
	file := os.NewFile(uintptr(fd), "nbd")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	return &nbdClient{conn}
}

// nbdRequest encodes a request, followed by its data.
func nbdRequest(kind, flags uint16, cookie, offset uint64, length int, data ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, nbdRequestMagic)
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint16(b, kind)
	b = binary.BigEndian.AppendUint64(b, cookie)
	b = binary.BigEndian.AppendUint64(b, offset)
	b = binary.BigEndian.AppendUint32(b, uint32(length))
	return append(b, data...)
}

func (c *nbdClient) say(t testing.TB, all ...[]byte) {
	t.Helper()
	if _, err := c.Write(bytes.Join(all, nil)); err != nil {
		t.Fatal(err)
	}
}

// hear receives the next answer; length returns the data size of a successful one.
func (c *nbdClient) hear(t testing.TB, length func(cookie uint64) int) nbdAnswer {
	t.Helper()
	var header [nbdAnswerHeader]byte
	if _, err := io.ReadFull(c, header[:]); err != nil {
		t.Fatal(err)
	}
	if magic := binary.BigEndian.Uint32(header[:]); magic != nbdAnswerMagic {
		t.Fatalf("an answer begins with %#x", magic)
	}
	a := nbdAnswer{errno: syscall.Errno(binary.BigEndian.Uint32(header[4:])), cookie: binary.BigEndian.Uint64(header[8:])}
	if a.errno != 0 {
		return a
	}
	a.data = make([]byte, length(a.cookie))
	if _, err := io.ReadFull(c, a.data); err != nil {
		t.Fatal(err)
	}
	return a
}

// ask sends one request and returns its answer.
func (c *nbdClient) ask(t testing.TB, kind, flags uint16, offset uint64, length int, data ...byte) nbdAnswer {
	t.Helper()
	cookie := uint64(time.Now().UnixNano())
	c.say(t, nbdRequest(kind, flags, cookie, offset, length, data...))
	a := c.hear(t, func(uint64) int {
		if kind == nbdRead {
			return length
		}
		return 0
	})
	if a.cookie != cookie {
		t.Errorf("the answer to %#x is to %#x", cookie, a.cookie)
	}
	return a
}

func (c *nbdClient) read(t testing.TB, offset uint64, length int) []byte {
	t.Helper()
	a := c.ask(t, nbdRead, 0, offset, length)
	if a.errno != 0 {
		t.Errorf("reading %d bytes at %d: %v", length, offset, a.errno)
	}
	return a.data
}

func TestNBDRequests(t *testing.T) {
	t.Parallel()
	c := nbdServed(t, device.Device{})
	const farAway = 1 << 63
	for _, q := range []struct {
		what        string
		kind, flags uint16
		offset      uint64
		length      int
		data        []byte
		errno       syscall.Errno
		readAt      uint64 // offset to read afterwards
		reads       string
	}{
		{what: "a write", kind: nbdWrite, offset: 4096, length: 4, data: []byte("abcd"), readAt: 4096, reads: "abcd"},
		{what: "an odd write", kind: nbdWrite, offset: 4097, length: 5, data: []byte("vwxyz"), readAt: 4095, reads: "\x00avwxyz"},
		{what: "the end", kind: nbdWrite, offset: nbdSize - 3, length: 3, data: []byte("end"), readAt: nbdSize - 4, reads: "\x00end"},
		{what: "a safe write without a cache", kind: nbdWrite, flags: nbdForced, offset: 1, length: 1, data: []byte("s"), readAt: 0, reads: "\x00s"},
		{what: "a flush", kind: nbdFlush},
		{what: "nothing written", kind: nbdWrite, offset: 7},
		{what: "nothing read", kind: nbdRead, offset: 7},
		{what: "a discard", kind: nbdTrim, offset: 4096, length: 4096, readAt: 4096, reads: "\x00\x00\x00"},
		{what: "an empty discard", kind: nbdTrim, offset: 4096, errno: syscall.EINVAL},
		{what: "an unknown command", kind: 6, offset: 4096, length: 4096, errno: syscall.EINVAL},
		{what: "another one", kind: 0xffff, errno: syscall.EINVAL},
		{what: "a read behind the end", kind: nbdRead, offset: nbdSize - 1, length: 2, errno: syscall.EINVAL},
		{what: "a read far behind the end", kind: nbdRead, offset: farAway, length: 512, errno: syscall.EINVAL},
		{what: "a read around the world", kind: nbdRead, offset: 1<<64 - 1, length: 2, errno: syscall.EINVAL},
		{what: "a write behind the end", kind: nbdWrite, offset: nbdSize - 1, length: 2, data: []byte("no"), errno: syscall.EINVAL, readAt: nbdSize - 3, reads: "end"},
		{what: "a discard behind the end", kind: nbdTrim, offset: nbdSize - 1, length: 2, errno: syscall.EINVAL, readAt: nbdSize - 3, reads: "end"},
		{what: "too large a read", kind: nbdRead, length: nbdLargest + 1, errno: syscall.EINVAL},
		{what: "too large a write", kind: nbdWrite, length: nbdLargest + 1, data: bytes.Repeat([]byte{'!'}, nbdLargest+1), errno: syscall.EINVAL, readAt: 0, reads: "\x00s"},
		{what: "a large write", kind: nbdWrite, offset: largest, length: largest, data: bytes.Repeat([]byte{'l'}, largest), readAt: 2*largest - 1, reads: "l\x00"},
		{what: "a larger write", kind: nbdWrite, offset: largest, length: largest + 1, data: bytes.Repeat([]byte{'L'}, largest+1), readAt: 2*largest - 1, reads: "LL\x00"},
	} {
		if a := c.ask(t, q.kind, q.flags, q.offset, q.length, q.data...); a.errno != q.errno {
			t.Errorf("%s: %v, want %v", q.what, a.errno, q.errno)
		}
		if got := c.read(t, q.readAt, len(q.reads)); string(got) != q.reads {
			t.Errorf("%s: then %q is at %d, want %q", q.what, got, q.readAt, q.reads)
		}
	}
	if got := c.read(t, largest-1, nbdLargest); got[0] != 0 || !bytes.Equal(got[1:largest+2], bytes.Repeat([]byte{'L'}, largest+1)) || got[largest+2] != 0 {
		t.Error("the largest read has other bytes")
	}
}

// TestNBDAnswersWhenTheyAreDue checks that operations without a delay do not wait for a slow one.
func TestNBDAnswersWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	k := nbdServed(t, slowToRead)
	k.say(t, nbdRequest(nbdRead, 0, 1, 0, 512), nbdRequest(nbdWrite, 0, 2, 0, 1, 'x'), nbdRequest(nbdFlush, 0, 3, 0, 0))
	seen := map[uint64]bool{}
	for range 2 {
		seen[k.hear(t, func(uint64) int { return 0 }).cookie] = true
	}
	if !seen[2] || !seen[3] || k.disk.reading().InFlight != 1 {
		t.Errorf("answered are %v, in flight are %d", seen, k.disk.reading().InFlight)
	}
}

// slowToRead is a device whose reads outlast every test.
var slowToRead = device.Device{Name: "slow", Read: device.Latency{Median: unit.Duration(time.Minute)}}

// TestNBDSafeWrites checks that a FUA write is in the backing file when it is answered, and takes
// the time of a write plus a flush; other writes to a device with a write cache are not in the
// file.
func TestNBDSafeWrites(t *testing.T) {
	t.Parallel()
	ms := func(n int) device.Latency {
		return device.Latency{Median: unit.Duration(time.Duration(n) * time.Millisecond)}
	}
	k := nbdServed(t, device.Device{Name: "cached", WriteCache: true, Write: ms(20), Flush: ms(60)})
	written := func(offset uint64, flags uint16) (letter byte, took time.Duration) {
		began := time.Now()
		if a := k.ask(t, nbdWrite, flags, offset, 1, 'w'); a.errno != 0 {
			t.Errorf("a write: %v", a.errno)
		}
		took = time.Since(began)
		return k.safe(t, offset), took
	}
	if letter, took := written(0, 0); letter != 0 || took < 20*time.Millisecond {
		t.Errorf("a write left %q in the backing file, after %v", letter, took)
	}
	if letter, took := written(5000, nbdForced); letter != 'w' || took < 80*time.Millisecond {
		t.Errorf("a safe write left %q in the backing file, after %v", letter, took)
	}
	if r := k.disk.reading(); r.Writes != 2 || r.Flushes != 1 {
		t.Errorf("%d writes, %d flushes", r.Writes, r.Flushes)
	}
}

// TestNBDPowerCut checks that without power all I/O fails, including I/O in flight, and that it
// works again afterwards.
func TestNBDPowerCut(t *testing.T) {
	t.Parallel()
	k := nbdServed(t, slowToRead)
	k.say(t, nbdRequest(nbdRead, 0, 1, 0, 512))
	await(t, func() bool { return k.disk.reading().InFlight == 1 })
	if err := k.server.power(false); err != nil {
		t.Fatal(err)
	}
	if a := k.hear(t, nil); a.errno != syscall.EIO || a.cookie != 1 {
		t.Errorf("what was in flight is answered %+v", a)
	}
	if a := k.ask(t, nbdWrite, 0, 0, 1, 'x'); a.errno != syscall.EIO {
		t.Errorf("a write without power: %v", a.errno)
	}
	if err := k.server.power(true); err != nil {
		t.Fatal(err)
	}
	if a := k.ask(t, nbdWrite, 0, 0, 1, 'x'); a.errno != 0 {
		t.Errorf("a write with power again: %v", a.errno)
	}
}

// TestNBDEnds checks that the device ends with its connection, and that an incomplete request has
// no effect.
func TestNBDEnds(t *testing.T) {
	t.Parallel()
	half := nbdRequest(nbdWrite, 0, 1, 0, 4096, bytes.Repeat([]byte{'h'}, 2000)...)
	for what, c := range map[string]struct {
		said []byte
		shut bool
		want error
	}{
		"hung up":              {nil, true, errHungUp},
		"in the header":        {half[:10], true, errHungUp},
		"in the data":          {half, true, errHungUp},
		"in order":             {nbdRequest(nbdDisconnect, 0, 0, 0, 0), false, errHungUp},
		"garbage":              {bytes.Repeat([]byte{0xff}, nbdHeader), false, errNoRequest},
		"garbage after a read": {append(nbdRequest(nbdRead, 0, 1, 0, 512), bytes.Repeat([]byte("GET / HTTP/1.0\r\n"), 2)...), false, errNoRequest},
	} {
		k := nbdServed(t, device.Device{})
		k.say(t, c.said)
		if c.shut {
			_ = k.Close()
		}
		select {
		case err := <-k.ended:
			if !errors.Is(err, c.want) {
				t.Errorf("%s: it ended with %v, want %v", what, err, c.want)
			}
		case <-time.After(patience):
			t.Errorf("%s: it goes on", what)
		}
		if letter := k.safe(t, 0); letter != 0 {
			t.Errorf("%s: %q was written", what, letter)
		}
	}
}

// TestNBDStream checks that each request is answered once, and that reads return what was
// written, however the stream is split.
func TestNBDStream(t *testing.T) {
	t.Parallel()
	k := nbdServed(t, device.Device{})
	model := make([]byte, nbdSize)
	cookie := uint64(0)
	rapid.Check(t, func(rt *rapid.T) {
		var stream []byte
		want := map[uint64][]byte{}
		for i := range rapid.IntRange(1, 12).Draw(rt, "requests") {
			cookie++
			// No overlap: concurrent requests have no order.
			offset := i*nbdSize/12 + rapid.IntRange(0, 5000).Draw(rt, "offset")
			length := rapid.IntRange(1, 20000).Draw(rt, "length")
			if rapid.Bool().Draw(rt, "write") {
				data := bytes.Repeat([]byte{rapid.Byte().Draw(rt, "byte")}, length)
				copy(model[offset:], data)
				stream = append(stream, nbdRequest(nbdWrite, 0, cookie, uint64(offset), length, data...)...)
				want[cookie] = []byte{}
			} else {
				want[cookie] = bytes.Clone(model[offset : offset+length])
				stream = append(stream, nbdRequest(nbdRead, 0, cookie, uint64(offset), length)...)
			}
		}
		piece := rapid.IntRange(11, 5000).Draw(rt, "piece")
		go func() {
			for some := range slices.Chunk(stream, piece) {
				if _, err := k.Write(some); err != nil {
					return // the receiving side reports it
				}
			}
		}()
		for len(want) > 0 {
			a := k.hear(t, func(cookie uint64) int { return len(want[cookie]) })
			expected, asked := want[a.cookie]
			if !asked || a.errno != 0 || !bytes.Equal(a.data, expected) {
				rt.Fatalf("request %d (%v): %v, or other bytes than were written", a.cookie, asked, a.errno)
			}
			delete(want, a.cookie)
		}
	})
}

// FuzzNBDRequests checks that every accepted request fits the device, whatever the input.
func FuzzNBDRequests(f *testing.F) {
	f.Add(nbdRequest(nbdWrite, nbdForced, 1, 4096, 4, 'a', 'b', 'c', 'd'), 3)
	f.Add(append(nbdRequest(nbdRead, 0, 1, 0, 512), nbdRequest(nbdTrim, 0, 2, 0, 512)...), 28)
	f.Add(nbdRequest(nbdWrite, 0, 1, nbdSize, largest+1, 'x'), 1)
	f.Add(nbdRequest(9, 0, 1, 0, 1), 100)
	free := &requests{}
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		if len(stream) > 1<<16 {
			return
		}
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := &nbdFront{fd: pair[0], size: nbdSize, requests: free}
		defer func() {
			_, _ = unix.Close(pair[0]), unix.Close(pair[1])
			if c.writing != nil {
				free.put(c.writing)
			}
		}()
		answers := make([]byte, 1<<20)
		for piece = 1 + (piece&0xffff)%1024; len(stream) > 0; {
			n := min(piece, len(stream))
			if _, err := unix.Write(pair[1], stream[:n]); err != nil {
				t.Fatal(err)
			}
			stream = stream[n:]
			if !receiveAll(t, c) {
				return
			}
			_, _ = readNow(pair[1], answers) // drained, or the socket buffer fills up
		}
	})
}

// receiveAll receives all available requests; it returns false at the end of the connection.
func receiveAll(t *testing.T, f *nbdFront) bool {
	t.Helper()
	for {
		r, _, err := f.receive()
		if err != nil {
			return false
		}
		if r == nil {
			return true
		}
		if r.asked.Offset < 0 || r.asked.Size < 0 || r.asked.Offset+r.asked.Size > nbdSize || r.task == taskNone ||
			r.task == taskWrite && int64(len(r.data)) != r.asked.Size {
			t.Fatalf("a request of %+v", r.asked)
		}
		f.requests.put(r)
	}
}
