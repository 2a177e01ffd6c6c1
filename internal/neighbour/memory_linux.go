package neighbour

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/proc"
	"plinth/internal/unit"
)

// warmEvery is the interval between writes to each page: long enough to cost little CPU
// time (80 % of 64 GiB are half a million pages a second), short enough to count as in use.
const warmEvery = 30 * time.Second

// spare is the amount of memory and swap to leave free: a load that used all of it would be
// killed before it began, and other processes possibly with it.
const spare = 128 * unit.MiB

// fillStep is the number of bytes filled between two checks of the free memory.
const fillStep = 16 << 20

// memory is the memory that a load fills.
type memory struct {
	pages []byte // the filled part
	base  residence
}

// residence is the anonymous memory of this process, resident and swapped out, in bytes
// (RssAnon and VmSwap of /proc/PID/status, proc_pid_status(5)).
type residence struct{ held, swapped int64 }

// fill fills memory and reports its progress. It stops early if memory would run out.
func (w *work) fill(size int64) (*memory, error) {
	// Make this process the OOM killer's first choice (proc_pid_oom_score_adj(5)).
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return nil, fmt.Errorf("cannot raise oom_score_adj: %w", err)
	}
	page := int64(os.Getpagesize())
	pages, err := unix.Mmap(-1, 0, int((size+page-1)/page*page), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("cannot allocate %v of memory: %w", unit.Size(size), err)
	}
	m := &memory{pages: pages}
	if m.base, err = ownMemory(); err != nil {
		return nil, err
	}
	noise := make([]byte, 1<<20)
	_, _ = rand.Read(noise) // never fails (crypto/rand)
	for at := 0; at < len(pages); at += fillStep {
		if left, err := left(); err != nil || left < int64(spare) {
			m.pages = pages[:at]
			return m, err
		}
		fillWith(noise, pages[at:min(at+fillStep, len(pages))], at)
		r := report{At: -1}
		m.enter(&r)
		if err := w.reports.Encode(r); err != nil {
			return nil, err // plinth has ended
		}
	}
	return m, nil
}

// fillWith fills pages that begin at offset place of all pages. Each page gets a number, so
// that KSM cannot merge equal pages.
func fillWith(noise, pages []byte, place int) {
	page := os.Getpagesize()
	for at := 0; at < len(pages); at += page {
		copy(pages[at:at+page], noise[at%len(noise):])
		copy(pages[at:], strconv.AppendInt(nil, int64(place+at), 36))
	}
}

// left returns how many more bytes of memory can be filled, including swap.
func left() (int64, error) {
	available, err := host.AvailableMemory()
	if err != nil {
		return 0, err
	}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, fmt.Errorf("cannot determine the free swap space: %w", err)
	}
	return available + int64(info.Freeswap)*int64(info.Unit), nil
}

// keepWarm writes to one page after the other and never returns. It must not run in the
// thread that reports progress, because it waits for pages that were swapped out.
func (m *memory) keepWarm() {
	if m == nil || len(m.pages) == 0 {
		return
	}
	page, at := os.Getpagesize(), 0
	due := len(m.pages)/page*int(reportEvery)/int(warmEvery) + 1
	for range time.Tick(reportEvery) {
		for range due {
			m.pages[at]++
			at = (at + page) % len(m.pages)
		}
	}
}

// enter adds to r the current residence of the memory.
func (m *memory) enter(r *report) {
	if m == nil {
		return
	}
	now, err := ownMemory()
	if err != nil {
		return // counts as zero
	}
	r.Held, r.Swapped = max(0, now.held-m.base.held), max(0, now.swapped-m.base.swapped)
}

func ownMemory() (residence, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return residence{}, err
	}
	held, heldErr := statusSize(text, "RssAnon")
	swapped, swappedErr := statusSize(text, "VmSwap")
	return residence{held, swapped}, errors.Join(heldErr, swappedErr)
}

// statusSize returns a size from /proc/PID/status, in bytes.
func statusSize(text []byte, name string) (int64, error) {
	var kib [1]proc.Value
	if proc.NewKeyed(name).Parse(text, kib[:]) != nil {
		return 0, fmt.Errorf("/proc/self/status has no %s", name)
	}
	return int64(kib[0].N << 10), nil
}
