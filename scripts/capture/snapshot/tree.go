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

// tree is what there is to keep, by path without links in it.
type tree struct {
	files []string
	dirs  []string          // the empty ones
	links map[string]string // where each link points to, relative
}

// find lists everything that matches, and the links on the way to it.
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

// add keeps one match; what cannot be looked at is left out.
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

// mostLinks is how many links a path may lead through, as in the kernel
// (path_resolution(7)).
const mostLinks = 40

// follow is the path without links; it notes the links that it meets.
// filepath.EvalSymlinks alone would not say which those were.
func (t *tree) follow(name string) (string, error) {
	place, links := "/", 0
	for rest := name; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		next := path.Join(place, part) // ".." is right here: place has no links
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

// link notes a link and returns its target, relative to the directory it is in.
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

// contents is what files hold, by name.
type contents map[string][]byte

// read is the content of each file that can be read.
func read(files []string) contents {
	read := make(contents, len(files))
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			read[name] = data
		}
	}
	return read
}
