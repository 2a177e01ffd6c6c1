package main

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action      string
	Package     string
	ImportPath  string // of the package being built
	Test        string
	Output      string
	Elapsed     float64 // seconds
	FailedBuild string
}

// outcome is the result of one test, or of a package as a whole if test is empty.
type outcome struct {
	pkg, test string
	result    string // pass, fail or skip
	seconds   float64
	// output is the output of a failed test. For a package it is the output that belongs to none
	// of its tests, or to tests that did not end.
	output string
}

// decode reads events and calls report when a test or a package ends.
func decode(r io.Reader, report func(outcome)) error {
	said := map[testKey]*strings.Builder{}
	builds := map[string]*strings.Builder{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil { // printed by go itself
				e = event{Action: "output", Output: string(line)}
			}
			k := testKey{e.Package, e.Test}
			switch e.Action {
			case "output":
				add(said, k, e.Output)
			case "build-output":
				add(builds, e.ImportPath, e.Output)
			case "pass", "fail", "skip":
				o := outcome{pkg: e.Package, test: e.Test, result: e.Action, seconds: e.Elapsed}
				if text := said[k]; text != nil {
					o.output = text.String()
				}
				if text := builds[e.FailedBuild]; text != nil {
					o.output += text.String()
				}
				delete(said, k)
				if e.Test == "" && e.Action == "fail" {
					o.output += cutShort(said, e.Package)
				}
				report(o)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// testKey identifies a test, or a package as a whole if test is empty.
type testKey struct{ pkg, test string }

// cutShort returns the output of the tests of a package that were ended by a crash or the time
// limit. They have no final event.
func cutShort(said map[testKey]*strings.Builder, pkg string) string {
	var text strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(said), func(a, b testKey) int { return strings.Compare(a.test, b.test) }) {
		if k.pkg == pkg {
			text.WriteString(k.test + " did not end:\n" + said[k].String())
			delete(said, k)
		}
	}
	return text.String()
}

func add[K comparable](to map[K]*strings.Builder, key K, text string) {
	if to[key] == nil {
		to[key] = &strings.Builder{}
	}
	to[key].WriteString(text)
}
