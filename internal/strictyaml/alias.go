package strictyaml

import "go.yaml.in/yaml/v3"

// MostValues is how many values a file has at most after its aliases are written out.
const MostValues = 100_000

// expansion writes a tree's aliases out, within bounds: a few lines of aliases
// of aliases can stand for billions of values.
type expansion struct {
	*Notes
	left int
	open map[*yaml.Node]bool // the nodes around the present one
}

// Expand is a copy of a tree in which every alias is what it stands for. Merge
// keys and tags are refused: they give a value a meaning that its line does not show.
func (s *Notes) Expand(n *yaml.Node) *yaml.Node {
	x := &expansion{s, MostValues, map[*yaml.Node]bool{}}
	return x.copy(n)
}

func (x *expansion) copy(n *yaml.Node) *yaml.Node {
	if x.left--; x.left < 0 {
		if x.left == -1 {
			x.Add(n, "", "aliases or lists make this file too large: more than %d values", MostValues)
		}
		return nothing(n)
	}
	if n.Kind == yaml.AliasNode {
		if x.open[n.Alias] {
			x.Add(n, "", "the alias *%s refers to a value that contains it", Bare(n.Value))
			return nothing(n)
		}
		return x.copy(n.Alias)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		x.Add(n, "leave it out: values are read as written", "the tag %s is not supported", Bare(n.Tag))
	}
	c := *n
	c.Anchor, c.Content = "", nil
	x.open[n] = true
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Tag == "!!merge" {
			x.Add(child, "write the keys out; an alias for a whole value is supported", "merge keys (<<) are not supported")
		}
		c.Content = append(c.Content, x.copy(child))
	}
	delete(x.open, n)
	return &c
}

// nothing stands in for a value that can't be had.
func nothing(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
}
