package page

import (
	"fmt"
	"strings"
	"time"

	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"plinth/internal/chart"
	"plinth/internal/prose"
	"plinth/web"
)

// HTML returns the whole page as one file that loads nothing else.
func (p *Page) HTML() ([]byte, error) {
	part, err := p.Part()
	if err != nil {
		return nil, err
	}
	looks, program, built := assets()
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\" data-form=\"file\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		`<meta http-equiv="Content-Security-Policy" content="` + filePolicy(looks, program) + "\">\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", prose.EscapeHTML(p.title()), looks)
	if built {
		b.WriteString("<script>" + Head + "</script>\n")
	}
	b.WriteString("</head>\n<body>\n" + p.top("") + unbuiltNote(built) + string(part))
	if built {
		b.WriteString(`<script type="module">` + program + "</script>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String()), nil
}

// Served returns the whole page as plinth serve sends it, with separate addresses for its program
// and style sheet.
func (p *Page) Served() ([]byte, error) {
	part, err := p.Part()
	if err != nil {
		return nil, err
	}
	_, _, built := assets()
	live := ""
	if p.data.State == "running" {
		live = "<div id=\"live\"></div>\n"
	}
	return []byte(ServedHead(p.title()) + "<body>\n" + p.top("/") + unbuiltNote(built) + live + string(part) + "</body>\n</html>\n"), nil
}

// ServedHead returns the start of each page of plinth serve, up to its body.
func ServedHead(title string) string {
	return "<!doctype html>\n<html lang=\"en\" data-form=\"served\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n" +
		"<title>" + prose.EscapeHTML(title) + "</title>\n<link rel=\"stylesheet\" href=\"/assets/page.css\">\n" +
		"<script src=\"/assets/head.js\"></script>\n<script type=\"module\" src=\"/assets/page.js\"></script>\n</head>\n"
}

// Part returns the part of the page that is replaced when the record of an open page has changed:
// the report and its data.
func (p *Page) Part() ([]byte, error) {
	data, err := json.Marshal(p.data)
	if err != nil {
		return nil, fmt.Errorf("cannot render the page: %w", err)
	}
	// Text in the data cannot break out of its element: < and > are escaped, and characters that
	// change the writing direction are removed.
	return []byte(p.report() + `<script type="application/json" id="plinth-data">` + prose.Printable(string(data)) + "</script>\n"), nil
}

// report returns the element that holds all parts of the report.
func (p *Page) report() string {
	var b strings.Builder
	b.WriteString("<main id=\"report\">\n")
	// The kind of page precedes the question; the program converts the time to the reader's time
	// zone.
	kind := prose.EscapeHTML(p.full.About())
	if begun := p.full.Begun(); !begun.IsZero() {
		kind += ` · <time datetime="` + begun.UTC().Format(time.RFC3339) + `">` + begun.UTC().Format("2006-01-02 15:04") + " UTC</time>"
	}
	for i, part := range p.full.Parts {
		heading := "<h2>" + prose.EscapeHTML(part.Title) + "</h2>\n"
		if i == 0 {
			heading = `<p class="kind">` + kind + "</p>\n<h1>" + prose.EscapeHTML(p.full.Title()) + "</h1>\n"
		}
		fmt.Fprintf(&b, "<section id=\"%s\">\n%s%s</section>\n", part.ID, heading, part.Body.HTML())
	}
	return b.String() + "</main>\n"
}

// top returns the header of the page: the name of the record, and links to its sections.
func (p *Page) top(home string) string {
	var b strings.Builder
	b.WriteString(`<a class="skip" href="#report">Skip to the report</a>` + "\n<header id=\"top\">\n")
	if home != "" {
		b.WriteString(`<a class="home" href="` + home + `">All records</a> `)
	}
	b.WriteString(`<span class="record">` + prose.EscapeHTML(p.full.Record) + "</span>\n<nav aria-label=\"Sections\"><ul>\n")
	for _, part := range p.full.Parts {
		first, _, _ := strings.Cut(part.Title, " ")
		fmt.Fprintf(&b, "<li><a href=\"#%s\">%s</a></li>\n", part.ID, prose.EscapeHTML(first))
	}
	return b.String() + "</ul></nav>\n<button type=\"button\" id=\"theme\"></button>\n</header>\n"
}

func (p *Page) title() string {
	return p.full.Title() + " - plinth"
}

// assets returns the style sheet and the program, and whether make build has built them. The
// styles of the figures are always included.
func assets() (looks, program string, built bool) {
	page, found := web.Looks()
	program, built = web.Program()
	// The program must not end its own element; in a JavaScript string the escape is the same text.
	return Looks(page), strings.ReplaceAll(program, "</script", `<\/script`), found && built
}

// Looks returns all CSS of a page: that of the figures, then that of the page.
func Looks(page string) string { return chart.CSS() + "\n" + page }

// unbuiltNote returns a note on what is missing if the page's program was not built.
func unbuiltNote(built bool) string {
	if built {
		return ""
	}
	return "<p>This plinth was built without the page's JavaScript: the page has tables and figures, but no runs second by second. " +
		"To include them, build plinth with make build (it needs Node.js 20 and npm) and write the report again.</p>\n"
}

// Head is a script that runs before the first paint: it marks that JavaScript is available, and
// applies the theme that the reader chose last, so that the page does not flicker.
const Head = `{const e=document.documentElement;e.classList.add("js");try{const t=localStorage.getItem("plinth-theme");if(t==="light"||t==="dark")e.dataset.theme=t}catch{}}`

// filePolicy returns the Content-Security-Policy of a file: it allows only the file's own style
// and scripts, by their hashes.
func filePolicy(looks, program string) string {
	return "default-src 'none'; script-src " + hash(Head) + " " + hash(program) + "; style-src " + hash(looks) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
