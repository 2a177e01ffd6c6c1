package generator

import (
	"strconv"
	"strings"
)

// digits is the length of a number in a key, as in redis-benchmark.
const digits = 12

// inlined is the size, in bytes, up to which payloads, of all requests of a pipeline
// together, are copied into each request: copying some kilobytes costs less than one more
// piece of a write. Larger ones are shared by all clients and never copied.
const inlined = 16 << 10

// template is a request prepared for sending, except for its numbers.
type template struct {
	text     []byte
	numbers  []int // offsets of numbers in text
	payloads []int // offsets in text where the shared payload goes, ascending
	size     int64 // of the whole request, bytes
	reads    bool
}

// newTemplate prepares a test.
func newTemplate(t test, prefix string, payload []byte, inline bool) template {
	made := template{reads: t.reads}
	if t.inline {
		made.add(strings.Join(t.words, " ") + "\r\n")
		made.size = int64(len(made.text))
		return made
	}
	made.add("*" + strconv.Itoa(len(t.words)) + "\r\n")
	for _, word := range t.words {
		if word == "$" {
			made.payload(payload, inline)
			continue
		}
		made.word(prefix, word)
	}
	made.size = int64(len(made.text)) + int64(len(made.payloads))*int64(len(payload))
	return made
}

func (t *template) add(s string) { t.text = append(t.text, s...) }

func (t *template) payload(payload []byte, inline bool) {
	t.add("$" + strconv.Itoa(len(payload)) + "\r\n")
	if inline {
		t.text = append(t.text, payload...)
	} else {
		t.payloads = append(t.payloads, len(t.text))
	}
	t.add("\r\n")
}

func (t *template) word(prefix, word string) {
	rest, prefixed := strings.CutPrefix(word, "@")
	if !prefixed {
		prefix = ""
	}
	before, numbered := strings.CutSuffix(rest, "#")
	length := len(prefix) + len(before)
	if numbered {
		length += digits
	}
	t.add("$" + strconv.Itoa(length) + "\r\n" + prefix + before)
	if numbered {
		t.numbers = append(t.numbers, len(t.text))
		t.add(strings.Repeat("0", digits))
	}
	t.add("\r\n")
}

// putNumber writes n into the twelve bytes of b.
func putNumber(b []byte, n uint64) {
	b = b[:digits]
	for i := digits - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// command encodes any command in the protocol.
func command(words ...string) []byte {
	var t template
	t.add("*" + strconv.Itoa(len(words)) + "\r\n")
	for _, word := range words {
		t.add("$" + strconv.Itoa(len(word)) + "\r\n" + word + "\r\n")
	}
	return t.text
}

// newPayload returns a value as redis-benchmark generates it (genBenchmarkRandomData):
// bytes with 64 values, which the compression of RDB files hardly reduces.
func newPayload(size int64) []byte {
	b := make([]byte, size)
	state := uint32(1234)
	for i := range b {
		state = state*1103515245 + 12345
		b[i] = '0' + byte(state>>16&63)
	}
	return b
}

// test is a command that is sent repeatedly. In its words @ stands for the prefix of all
// keys,
// # for a number of twelve digits and $ for the payload.
type test struct {
	name  string
	words []string
	reads bool // whether it reads a key that may not exist

	inline bool // sent as a line, without lengths; only for words without @, # and $
}

// tests are redis-benchmark's, with its commands and, after the prefix, its keys
// (redis-benchmark.c, 7.0). There a key without -r is "key:__rand_int__", here number 0 of
// a keyspace of one, which has the same length. ping is its PING_MBULK, ping-inline its
// PING_INLINE.
var tests = []test{
	{name: "ping", words: []string{"PING"}},
	{name: "ping-inline", words: []string{"PING"}, inline: true},
	{name: "set", words: []string{"SET", "@#", "$"}},
	{name: "get", words: []string{"GET", "@#"}, reads: true},
	{name: "incr", words: []string{"INCR", "@counter:#"}},
	{name: "lpush", words: []string{"LPUSH", "@mylist", "$"}},
	{name: "rpush", words: []string{"RPUSH", "@mylist", "$"}},
	{name: "lpop", words: []string{"LPOP", "@mylist"}},
	{name: "rpop", words: []string{"RPOP", "@mylist"}},
	{name: "sadd", words: []string{"SADD", "@myset", "element:#"}},
	{name: "hset", words: []string{"HSET", "@myhash", "element:#", "$"}},
	{name: "spop", words: []string{"SPOP", "@myset"}},
	{name: "zadd", words: []string{"ZADD", "@myzset", "#", "element:#"}},
	{name: "mset", words: append([]string{"MSET"}, strings.Fields(strings.Repeat("@# $ ", 10))...)},
}

// Tests returns the names of what can be driven.
func Tests() []string {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	return names
}

func testNamed(name string) (t test, found bool) {
	for _, t := range tests {
		if t.name == name {
			return t, true
		}
	}
	return test{}, false
}
