package generator

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// narrow is a socket that accepts a random number of bytes.
type narrow struct {
	t   *rapid.T
	got []byte
}

func (n *narrow) unsent() bool                   { return false }
func (n *narrow) read([]byte) (int, bool, error) { return 0, false, unix.EAGAIN }
func (n *narrow) write(pieces []unix.Iovec) (int, error) {
	var all []byte
	for _, p := range pieces {
		all = append(all, unsafe.Slice(p.Base, p.Len)...)
	}
	took := rapid.IntRange(0, len(all)).Draw(n.t, "taken")
	if took == 0 {
		return 0, unix.EAGAIN
	}
	n.got = append(n.got, all[:took]...)
	return took, nil
}

// TestPartialWrites checks that whatever a socket accepts at once, the requests arrive
// whole and in order, and each is stamped at the write that sent its first byte.
func TestPartialWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := newPayload(int64(rapid.IntRange(1, 300).Draw(t, "payload")))
		inline := rapid.Bool().Draw(t, "inline")
		var templates []template
		for _, name := range Tests() {
			one, _ := testNamed(name)
			templates = append(templates, newTemplate(one, "key:", payload, inline))
		}
		n := rapid.IntRange(1, 6).Draw(t, "pipeline")
		c := makeClient(0, templates, n, 0)
		sock := &narrow{t: t}
		c.sock = sock
		k := keys{space: 1}
		var want []byte
		c.compose()
		for range n {
			i := rapid.IntRange(0, len(templates)-1).Draw(t, "test")
			one, _ := testNamed(Tests()[i])
			c.request(i, &templates[i], payload, &k, 0, true)
			whole := newTemplate(one, "key:", payload, true)
			want = append(want, whole.text...)
			if int64(len(want)) != c.size || whole.size != templates[i].size {
				t.Fatalf("sizes %d, %d, want %d, %d", c.size, templates[i].size, len(want), whole.size)
			}
		}
		for now := int64(1); c.sent < c.size; now++ {
			before := c.stamped
			err := c.flush(now)
			if err != nil && !errors.Is(err, unix.EAGAIN) {
				t.Fatal(err)
			}
			for _, f := range c.flights[before:c.stamped] {
				if f.sent != now {
					t.Fatalf("stamped %d at %d", f.sent, now)
				}
			}
		}
		if !bytes.Equal(sock.got, want) || c.stamped != n {
			t.Fatalf("sent %q, want %q; %d of %d stamped", sock.got, want, c.stamped, n)
		}
	})
}

func TestKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const space, n = 10, 100_000
	for name, want := range map[string]func(k int) float64{
		"uniform":    func(int) float64 { return 1.0 / space },
		"sequential": func(int) float64 { return 1.0 / space },
		"zipfian": func(k int) float64 { // 1/k^0.99 over their sum
			z, sum := newZipf(space, zipfExponent), 0.0
			for i := 1; i <= space; i++ {
				sum += z.density(float64(i))
			}
			return z.density(float64(k+1)) / sum
		},
	} {
		c := Config{Keyspace: space, Distribution: name}
		k := c.newKeys(random, new(atomic.Uint64))
		var seen [space]int
		for range n {
			seen[k.next()]++
		}
		for i, got := range seen {
			// Five standard deviations of at most sqrt(n/4).
			if w := want(i) * n; float64(got) < w-800 || float64(got) > w+800 {
				t.Errorf("%s: key %d was drawn %d times, want about %.0f", name, i, got, w)
			}
		}
	}
	large := newZipf(1_000_000_000, zipfExponent)
	for range 100_000 {
		if k := large.draw(random); k < 1 || k > 1_000_000_000 {
			t.Fatalf("drew %d", k)
		}
	}
}

func TestArrivals(t *testing.T) {
	a := newArrivals(rand.New(rand.NewPCG(1, 2)), 1000)
	const n = 100_000
	last, longer := int64(0), 0
	for range n {
		due := a.take()
		if due < last {
			t.Fatal("not in order")
		}
		if due-last > 1_000_000 { // the mean gap: e^-1 of them are longer
			longer++
		}
		last = due
	}
	if seconds := float64(last) / 1e9; seconds < 98 || seconds > 102 {
		t.Errorf("%d arrivals took %.1f s, want 100", n, seconds)
	}
	if share := float64(longer) / n; share < 0.36 || share > 0.376 {
		t.Errorf("%.3f of the gaps are longer than their mean, want 0.368", share)
	}
}
