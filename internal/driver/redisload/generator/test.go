package generator

import (
	"strings"
)

// test is a command that is sent again and again. In its words @ stands for the
// prefix of all keys, # for a number of twelve digits and $ for the payload.
type test struct {
	name  string
	words []string
	reads bool // whether it reads a key that may not be there
}

// tests are redis-benchmark's, with its commands and, after the prefix, its keys
// (redis-benchmark.c, 7.0). There a key without -r is "key:__rand_int__", here
// number 0 of a keyspace of one, which is as long. ping is its PING_MBULK.
var tests = []test{
	{name: "ping", words: []string{"PING"}},
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

// Tests are the names of what can be driven.
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
