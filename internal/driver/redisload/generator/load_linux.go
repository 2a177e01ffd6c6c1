package generator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// load holds what all threads share.
type load struct {
	config  Config
	dialer  *dialer // each thread has its own copy
	payload []byte
	fromDue bool // latency counts from when a request was due, not from when it was sent

	login  []byte // sent first on a connection: AUTH and SELECT, as needed
	logins int    // number of its replies
	hello  []byte // the same, followed by a PING
	hellos int

	granted  atomic.Int64  // of a limited number of requests
	sequence atomic.Uint64 // of keys
	stopped  atomic.Bool
	refusal  atomic.Pointer[string] // the server's first error
}

func newLoad(c Config, password string) (*load, error) {
	d, err := newDialer(&c)
	if err != nil {
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	l := &load{config: c, dialer: d, fromDue: c.Rate > 0 || c.ConnectEach}
	if password != "" {
		words := []string{"AUTH", password}
		if c.User != "" {
			words = []string{"AUTH", c.User, password}
		}
		l.login, l.logins = command(words...), 1
	}
	if c.DB != 0 {
		l.login = append(l.login, command("SELECT", strconv.Itoa(c.DB))...)
		l.logins++
	}
	l.hello, l.hellos = append(slices.Clone(l.login), command("PING")...), l.logins+1
	return l, nil
}

// templates prepares the tests, and the payload if one of them sends it.
func (l *load) templates() ([]template, error) {
	c := &l.config
	var made []template
	for _, s := range c.Scripts {
		t, found := testNamed(s.Test)
		if !found {
			return nil, hint.Errorf(hint.DidYouMean(s.Test, Tests(), "choose one of: "+strings.Join(Tests(), ", ")),
				"unknown test %q", s.Test)
		}
		if l.payload == nil && slices.Contains(t.words, "$") {
			l.payload = newPayload(c.Payload)
		}
		payloads := int64(len(t.words)) * c.Payload * int64(c.Pipeline)
		made = append(made, newTemplate(t, c.Prefix, l.payload, payloads <= inlined))
	}
	return made, nil
}

// ending are the permanent errors of a server, which make all further requests worthless:
// it cannot write to its disk, has no memory left, or is a replica.
var ending = []string{"MISCONF", "OOM", "READONLY"}

// refused keeps the server's first error. It returns an error if that ends the run.
func (l *load) refused(text []byte) error {
	if l.refusal.Load() == nil {
		first := string(text)
		l.refusal.CompareAndSwap(nil, &first)
	}
	for _, word := range ending {
		if len(text) > len(word) && string(text[:len(word)]) == word {
			return l.refuses(text)
		}
	}
	return nil
}

// refuses returns an error in the server's words.
func (l *load) refuses(text []byte) error {
	err := fmt.Errorf("the server rejected a request: %s", text)
	word, _, _ := strings.Cut(string(text), " ")
	if advice := refusalHints[word]; advice != "" {
		err = hint.Wrap(err, advice)
	}
	return err
}

var refusalHints = map[string]string{
	"MISCONF":   "see the server's log, and check whether the server's disk is full: the server cannot write to it",
	"OOM":       "raise maxmemory, or load less data",
	"READONLY":  "connect to the primary, not to a replica",
	"NOAUTH":    "give a user and a password",
	"WRONGPASS": "check the user and the password",
	"NOPERM":    "allow the user to run the test's commands on the load's keys (ACL SETUSER)",
}

// newThread returns one of the threads, with its share of the clients.
func (l *load) newThread(number int, templates []template) (*thread, error) {
	c := &l.config
	mine := c.Clients / c.Threads
	if number < c.Clients%c.Threads {
		mine++
	}
	if mine < 1 {
		return nil, errors.New("more threads than clients")
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot wait for replies: %w", err)
	}
	random := rand.New(rand.NewPCG(c.Seed, uint64(number)))
	t := &thread{
		load: l, dialer: l.dialer.own(), epoll: epoll, templates: templates, random: random,
		events: make([]unix.EpollEvent, min(mine, 512)), buffer: make([]byte, readSize),
		backlog: make([]*client, 0, mine), free: ring{numbers: make([]int32, mine)},
		keys: c.newKeys(random, &l.sequence),
		full: make(chan *Second, unreported), empty: make(chan *Second, unreported),
	}
	if c.Rate > 0 {
		t.arrivals = newArrivals(random, c.Rate*float64(mine)/float64(c.Clients))
	}
	sum := uint64(0)
	for _, s := range c.Scripts {
		sum += uint64(max(s.Weight, 1))
		t.weights = append(t.weights, sum)
	}
	for i := range mine {
		t.clients = append(t.clients, makeClient(i, templates, c.Pipeline, len(l.hello)))
	}
	return t, nil
}

// unreported limits the seconds that wait to be reported; then threads wait, too.
const unreported = 64
