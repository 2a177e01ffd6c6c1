package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A node is an element of a picture.
type node struct {
	name     string
	attr     map[string]string
	text     string // of the element and its tspans, without titles
	title    string // of its title element
	children []*node
}

// parse parses a picture, and fails unless it is valid XML with unique ids and without style
// attributes, scripts and malformed numbers.
func parse(t testing.TB, svg string) *node {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	stack, ids := []*node{{}}, map[string]bool{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.3000s", err, svg)
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			child := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				child.attr[a.Name.Local] = a.Value
				allowed(t, child.name, a, ids)
			}
			top.children = append(top.children, child)
			stack = append(stack, child)
		case xml.CharData:
			top.text += string(token)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
			switch parent := stack[len(stack)-1]; top.name {
			case "tspan":
				parent.text += top.text
			case "title":
				parent.title = top.text
			}
		}
	}
	if len(stack[0].children) == 0 || stack[0].children[0].name != "svg" {
		t.Fatalf("no picture: %.300s", svg)
	}
	return stack[0].children[0]
}

func allowed(t testing.TB, element string, a xml.Attr, ids map[string]bool) {
	t.Helper()
	name := a.Name.Local
	switch {
	case element == "script", name == "style", strings.HasPrefix(name, "on"):
		t.Fatalf("%s with %s", element, name)
	case name == "href" && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "/"):
		t.Fatalf("a link to %s", a.Value)
	case name != "href" && name != "aria-label" && strings.Contains(a.Value, "NaN"), strings.Contains(a.Value, "+Inf"):
		t.Fatalf("%s has %s=%q", element, name, a.Value)
	case name == "id" && ids[a.Value]:
		t.Fatalf("there are two %s", a.Value)
	case name == "id":
		ids[a.Value] = true
	}
}

// walk visits all elements.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, child := range n.children {
		child.walk(visit)
	}
}

// of returns all elements with a class.
func (n *node) of(class string) []*node {
	var found []*node
	n.walk(func(n *node) {
		for c := range strings.FieldsSeq(n.attr["class"]) {
			if c == class {
				found = append(found, n)
			}
		}
	})
	return found
}

func (n *node) number(name string) float64 {
	f, _ := strconv.ParseFloat(n.attr[name], 64)
	return f
}

// A box is the area of a text.
type box struct {
	text                     string
	left, right, top, bottom float64
}

// boxes returns the areas of all text in a narrow typeface: text that overlaps in it overlaps
// in all.
func (n *node) boxes() []box {
	var list []box
	n.walk(func(n *node) {
		if n.name != "text" {
			return
		}
		class, size := " "+n.attr["class"]+" ", normal
		if strings.Contains(class, " small ") {
			size = small
		}
		width := textWidth(n.text, size) * 0.95
		b := box{text: n.text, left: n.number("x"), top: n.number("y") - size*0.75, bottom: n.number("y") + 1}
		switch {
		case strings.Contains(class, " end "):
			b.left -= width
		case strings.Contains(class, " middle "):
			b.left -= width / 2
		}
		b.right = b.left + width
		list = append(list, b)
	})
	return list
}

// apart fails if two texts overlap.
func apart(t *testing.T, kind string, n *node) {
	t.Helper()
	boxes := n.boxes()
	for i, a := range boxes {
		for _, b := range boxes[i+1:] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				t.Errorf("%s: %.60q and %.60q overlap", kind, a.text, b.text)
			}
		}
	}
}

// inside fails if a text leaves the picture.
func inside(t *testing.T, kind string, n *node) {
	t.Helper()
	width, height := n.number("width"), n.number("height")
	for _, b := range n.boxes() {
		if b.left < -1 || b.right > width+12 || b.top < -1 || b.bottom > height+1 {
			t.Errorf("%s: %.60q stands at %.0f to %.0f, %.0f to %.0f, outside %v x %v", kind, b.text, b.left, b.right, b.top, b.bottom, width, height)
		}
	}
}

var coordinate = regexp.MustCompile(`-?[0-9]*\.?[0-9]+`)

// numbersOf returns the numbers in a path.
func numbersOf(d string) []float64 {
	var list []float64
	for _, s := range coordinate.FindAllString(d, -1) {
		f, _ := strconv.ParseFloat(s, 64)
		list = append(list, f)
	}
	return list
}
