// Package web embeds the JavaScript and the style sheet of plinth's HTML page, as built by
// make build.
package web

import (
	"embed"
	"io/fs"
)

// dist holds only a placeholder until the page is built, so that a plain go build works.
//
//go:embed all:dist
var dist embed.FS

// Program returns the page's JavaScript, and whether it was built.
func Program() (string, bool) { return read("page.js") }

// Looks returns the page's CSS, and whether it was built.
func Looks() (string, bool) { return read("page.css") }

func read(name string) (string, bool) {
	data, err := fs.ReadFile(dist, "dist/"+name)
	return string(data), err == nil
}
