package strictyaml

import "go.yaml.in/yaml/v3"

// MostValues is the maximum number of values of a file after its aliases are expanded.
const MostValues = 100_000

// expansion expands the aliases of a tree, up to a limit: a few lines of nested aliases can expand to
// billions of values.
type expansion struct {
	*Notes
	left int
	open map[*yaml.Node]bool // the ancestors of the current node
}

// Expand returns a copy of a tree with all aliases expanded. It notes merge keys and tags as mistakes,
// because they give a value a meaning that its line does not show.
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

// nothing returns a null value in place of an invalid one.
func nothing(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
}
