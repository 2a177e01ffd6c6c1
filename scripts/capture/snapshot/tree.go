package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// tree holds what a snapshot stores, by path without symbolic links.
type tree struct {
	files []string
	dirs  []string          // the empty ones
	links map[string]string // the relative target of each link
}

// find returns everything that matches, and the links on the way to it.
func find(patterns []string) (tree, error) {
	t := tree{links: map[string]string{}}
	for _, pattern := range patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return tree{}, fmt.Errorf("cannot use the pattern %s: %w", pattern, err)
		}
		for _, match := range matches {
			t.add(match)
		}
	}
	for _, list := range []*[]string{&t.files, &t.dirs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return t, nil
}

// add adds one match, unless it cannot be read.
func (t *tree) add(match string) {
	place, err := t.follow(match)
	if err != nil {
		return
	}
	info, err := os.Lstat(place)
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		t.files = append(t.files, place)
	case info.IsDir():
		if entries, err := os.ReadDir(place); err == nil && len(entries) == 0 {
			t.dirs = append(t.dirs, place)
		}
	}
}

// mostLinks is the maximum number of links in a path, as in the kernel
// (path_resolution(7)).
const mostLinks = 40

// follow resolves the links of a path and records them, which filepath.EvalSymlinks
// does not.
func (t *tree) follow(name string) (string, error) {
	place, links := "/", 0
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		next := path.Join(place, part) // ".." works here: place has no links
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode().Type() != fs.ModeSymlink {
			place = next
			continue
		}
		if links++; links > mostLinks {
			return "", syscall.ELOOP
		}
		target, err := t.link(next)
		if err != nil {
			return "", err
		}
		rest = target + "/" + rest
	}
	return place, nil
}

// link records a link and returns its target, relative to the directory of the link.
func (t *tree) link(name string) (string, error) {
	target, err := os.Readlink(name)
	if err != nil {
		return "", err
	}
	if path.IsAbs(target) {
		if target, err = filepath.Rel(path.Dir(name), target); err != nil {
			return "", err
		}
	}
	t.links[name] = target
	return target, nil
}

// contents holds the contents of files, by name.
type contents map[string][]byte

// read returns the contents of the files that can be read.
func read(files []string) contents {
	read := make(contents, len(files))
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			read[name] = data
		}
	}
	return read
}
