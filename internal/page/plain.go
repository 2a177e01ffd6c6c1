package page

import (
	"fmt"
	"strings"

	"plinth/internal/prose"
)

// A Plain page is a document that needs no program.
type Plain struct {
	Title string
	Kind  string // of page: "search for a tuning"
	Body  prose.Document
	Live  bool // it is loaded again every few seconds
}

// reloadEvery is the number of seconds after which a live page is loaded again.
const reloadEvery = 10

// HTML returns the page as one file that loads nothing else.
func (p Plain) HTML() []byte {
	looks, _, _ := assets()
	return []byte("<!doctype html>\n<html lang=\"en\" data-form=\"file\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` + hash(looks) + `; img-src data:; base-uri 'none'; form-action 'none'">` + "\n" +
		p.reload() + "<title>" + prose.EscapeHTML(p.title()) + "</title>\n<style>" + looks + "</style>\n</head>\n<body>\n" + p.main() + "</body>\n</html>\n")
}

// Served returns the page as plinth serve sends it.
func (p Plain) Served() []byte {
	head := strings.Replace(ServedHead(p.title()), "</head>", p.reload()+"</head>", 1)
	return []byte(head + "<body>\n<header id=\"top\">\n<a class=\"home\" href=\"/\">All records</a>\n<nav></nav>\n<button type=\"button\" id=\"theme\"></button>\n</header>\n" + p.main() + "</body>\n</html>\n")
}

func (p Plain) title() string { return p.Title + " - plinth" }

func (p Plain) reload() string {
	if !p.Live {
		return ""
	}
	return fmt.Sprintf("<meta http-equiv=\"refresh\" content=\"%d\">\n", reloadEvery)
}

func (p Plain) main() string {
	return "<main id=\"report\">\n<section>\n<p class=\"kind\">" + prose.EscapeHTML(p.Kind) + "</p>\n<h1>" + prose.EscapeHTML(p.Title) + "</h1>\n" + p.Body.HTML() + "</section>\n</main>\n"
}
