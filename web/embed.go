// Package web holds the page's program and its looks, as make build made them.
package web

import (
	"embed"
	"io/fs"
)

// dist is empty but for a file that keeps it there until the page is built, so
// that a plain go build works.
//
//go:embed all:dist
var dist embed.FS

// Program is the page's JavaScript, and whether it was built.
func Program() (string, bool) { return read("page.js") }

// Looks is the page's CSS, and whether it was built.
func Looks() (string, bool) { return read("page.css") }

func read(name string) (string, bool) {
	data, err := fs.ReadFile(dist, "dist/"+name)
	return string(data), err == nil
}
