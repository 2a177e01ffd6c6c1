package profile

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"plinth/internal/knob"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// language holds the names that an expression can use: facts, sizes and functions. Arithmetic
// on facts is floating point, so that nothing overflows silently.
type language struct {
	Facts
	KiB float64 `expr:"KiB"`
	MiB float64 `expr:"MiB"`
	GiB float64 `expr:"GiB"`
	KB  float64 `expr:"kB"` // 1000 bytes, as everywhere in plinth; in a literal value for PostgreSQL kB is 1024
	MB  float64 `expr:"MB"`
	GB  float64 `expr:"GB"`

	HugePagesOthers float64 `expr:"huge_pages_others"`

	// Tuned holds the tuned values by key, in canonical form, for requirements.
	Tuned map[string]string `expr:"tuned"`

	Clamp  func(x, low, high any) (float64, error)       `expr:"clamp"`
	Node   func(nodes []Node, id int) (Node, error)      `expr:"node"`
	Freest func(nodes []Node) (Node, error)              `expr:"freest"`
	Bytes  func(text string) (float64, error)            `expr:"bytes"`
	Known  func(name string, x float64) (float64, error) `expr:"known__"`
	Or     func(name string, x float64) any              `expr:"or__"`
	Divide func(x, y float64) (float64, error)           `expr:"divide__"`

	used []used // facts that the expression used, in order
}

// used is a fact with the number that it had.
type used struct {
	name  string
	value float64
}

func newLanguage(f Facts) *language {
	l := &language{
		Facts: f, HugePagesOthers: float64(f.HugePagesOthers()),
		KiB: float64(unit.KiB), MiB: float64(unit.MiB), GiB: float64(unit.GiB), KB: 1e3, MB: 1e6, GB: 1e9,
		Clamp: clamp, Node: nodeOf, Freest: freest, Bytes: bytesOf, Divide: divide,
	}
	l.Known, l.Or = l.known, l.or
	return l
}

// builtins lists the functions of the expression language that profiles can use: none that
// builds long texts or lists.
var builtins = []string{"abs", "ceil", "floor", "int", "round", "min", "max", "len", "string", "sum"}

// missingFacts lists the facts that may be unknown (zero), with the reason and how to obtain
// them.
var missingFacts = map[string]string{
	"memory":               "the amount of memory is unknown",
	"cpus":                 "the number of CPUs is unknown",
	"huge_page":            "this kernel has no huge pages",
	"version":              noServer,
	"connections":          noServer,
	"wal_segment":          noServer,
	"huge_pages_needed":    "the server has not reported how many huge pages it needs (shared_memory_size_in_huge_pages, PostgreSQL 15 and later)",
	"huge_pages":           "no static huge pages are reserved",
	"huge_pages_used":      "no static huge pages are in use",
	"disk.random_read":     notProbed,
	"disk.sequential_read": notProbed,
	"disk.sync":            notProbed,
	"disk.best_depth":      notProbed,

	"disk.size":       noPlace,
	"wal.size":        noPlace,
	"disk.read_ahead": noPlace,
	"wal.read_ahead":  noPlace,

	"disk.random_reads_most": notProbed,
	"wal.random_read":        walNotProbed,
	"wal.sequential_read":    walNotProbed,
	"wal.sync":               walNotProbed,
	"wal.best_depth":         walNotProbed,
	"wal.random_reads_most":  walNotProbed,
}

const (
	noServer     = "needs a server"
	noPlace      = "needs to know where the data is: --data DIR, or a server on this machine"
	notProbed    = "needs a probe of the disk: plinth probe --output disk.yaml DIR, then --probe disk.yaml"
	walNotProbed = "needs a probe of the disk of the WAL: plinth probe --output wal.yaml DIR, then --probe wal=wal.yaml"
)

// unknownFact is the error for a fact that an expression needs and that is unknown.
type unknownFact struct{ name string }

// Error returns what is missing and how to obtain it.
func (u unknownFact) Error() string { return missingFacts[u.name] }

// known returns a fact's number, or an error if it is unknown.
func (l *language) known(name string, x float64) (float64, error) {
	if x == 0 {
		return 0, unknownFact{name}
	}
	u := used{name, x}
	if !slices.Contains(l.used, u) {
		l.used = append(l.used, u)
	}
	return x, nil
}

// or returns a fact's number, or nil, the left operand of ??, if it is unknown.
func (l *language) or(name string, x float64) any {
	if x, err := l.known(name, x); err == nil {
		return x
	}
	return nil
}

// numbers formats the facts that were used: "memory 8GiB, cpus 4".
func (l *language) numbers() string {
	all := make([]string, len(l.used))
	for i, u := range l.used {
		all[i] = u.name + " " + shown(u.name, u.value)
	}
	return strings.Join(all, ", ")
}

// shown formats a fact's number with the unit that follows from its name.
func shown(name string, x float64) string {
	switch {
	case name == "memory" || name == "huge_page" || strings.HasSuffix(name, ".size") || strings.HasSuffix(name, ".read_ahead"):
		return unit.Size(x).String()
	case strings.HasSuffix(name, "_read") || strings.HasSuffix(name, ".sync"):
		return seconds(x)
	}
	return number(x)
}

// seconds formats a time to three digits: "1.85 ms".
func seconds(x float64) string {
	switch {
	case x < 1e-3:
		return number(x*1e6) + " µs"
	case x < 1:
		return number(x*1e3) + " ms"
	}
	return number(x) + " s"
}

// number formats a number: whole, or to three digits.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return unit.Digits(x, 3)
}

func clamp(x, low, high any) (float64, error) {
	var n [3]float64
	for i, v := range []any{x, low, high} {
		var ok bool
		if n[i], ok = toFloat(v); !ok {
			return 0, fmt.Errorf("clamp: %v is not a number", v)
		}
	}
	if n[1] > n[2] {
		return 0, fmt.Errorf("clamp: the lower limit, %s, is above the upper limit, %s", number(n[1]), number(n[2]))
	}
	return min(max(n[0], n[1]), n[2]), nil
}

// toFloat converts a number of any type.
func toFloat(v any) (float64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.IsValid() && r.CanInt():
		return float64(r.Int()), true
	case r.IsValid() && r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

func divide(x, y float64) (float64, error) {
	if y == 0 {
		return 0, errors.New("division by zero")
	}
	return x / y, nil
}

func nodeOf(nodes []Node, id int) (Node, error) {
	for _, n := range nodes {
		if n.ID == id {
			return n, nil
		}
	}
	return Node{}, fmt.Errorf("NUMA node %d does not exist", id)
}

// freest returns the node with the most free memory, the first of several.
func freest(nodes []Node) (Node, error) {
	if len(nodes) == 0 {
		return Node{}, errors.New("no NUMA node is known")
	}
	return slices.MaxFunc(nodes, func(a, b Node) int {
		return int(max(-1, min(1, a.Free-b.Free)))
	}), nil
}

// bytesOf parses a size in PostgreSQL's or plinth's units: "128MB" and "128MiB" are equal,
// as in PostgreSQL.
func bytesOf(text string) (float64, error) {
	binary := strings.NewReplacer("kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB").Replace(strings.TrimSpace(text))
	size, err := unit.ParseSize(binary)
	if err != nil {
		return 0, fmt.Errorf("%s is not a size", strictyaml.Quote(text))
	}
	return float64(size), nil
}

const (
	mostExpression = 500 // bytes
	mostNodes      = 200
)

// compile compiles an expression. Values are compiled strictly: a fact that is zero is
// unknown, and a division by zero is an error. In a condition zero is zero.
func compile(text string, strict bool, options ...expr.Option) (_ *vm.Program, err error) {
	if len(text) > mostExpression {
		return nil, fmt.Errorf("it is longer than %d bytes", mostExpression)
	}
	if strings.Contains(text, "__") {
		return nil, errors.New("names that end in __ are reserved")
	}
	// The library documents that it does not panic; do not rely on it for a user's file.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot compile the expression: %v", r)
		}
	}()
	all := []expr.Option{expr.Env(&language{}), expr.DisableAllBuiltins(), expr.MaxNodes(mostNodes)}
	for _, name := range builtins {
		all = append(all, expr.EnableBuiltin(name))
	}
	all = append(all, options...)
	// Compile the unmodified expression first, so that errors have its own words and position.
	var w work
	program, err := expr.Compile(text, append(all, expr.Patch(&w))...)
	switch {
	case err != nil:
		return nil, err
	case w.ranges || w.loops > mostLoops:
		return nil, errors.New("an expression can have at most two loops over nodes, and no ranges")
	case !strict:
		return program, nil
	}
	return expr.Compile(text, append(all, expr.Patch(&strictness{}))...)
}

// mostLoops is the maximum number of any, all, map, filter, ... in an expression.
const mostLoops = 2

// work counts the parts of an expression that could take very long: nested loops, and ranges.
type work struct {
	loops  int
	ranges bool
}

// Visit is called for each node of the tree.
func (w *work) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		w.loops++
	case *ast.BinaryNode:
		w.ranges = w.ranges || n.Operator == ".."
	}
}

// strictness adds the checks of a value's expression to its tree.
type strictness struct{}

// Visit is called for each node of the tree, after its children.
func (strictness) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode, *ast.MemberNode:
		name := (*node).String()
		if _, known := missingFacts[name]; known {
			ast.Patch(node, call("known__", &ast.StringNode{Value: name}, asFloat(*node)))
		}
	case *ast.BinaryNode:
		if c, ok := n.Left.(*ast.CallNode); ok && n.Operator == "??" && c.Callee.String() == "known__" {
			n.Left = call("or__", c.Arguments...)
		}
		if n.Operator == "/" {
			ast.Patch(node, call("divide__", asFloat(n.Left), asFloat(n.Right)))
		}
	}
}

func call(name string, arguments ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

// asFloat converts a number of any type to floating point. It multiplies by 1.0, since no
// conversion works on all types.
func asFloat(n ast.Node) ast.Node {
	return &ast.BinaryNode{Operator: "*", Left: n, Right: &ast.FloatNode{Value: 1}}
}

// expression returns the expression of a computed value: the text after the "=".
func expression(value string) (string, bool) {
	text, is := strings.CutPrefix(value, "=")
	return strings.TrimSpace(text), is
}

// condition reports whether an expression holds. An empty one always holds.
func condition(text string, l *language) (bool, error) {
	if text == "" {
		return true, nil
	}
	program, err := compile(text, false, expr.AsBool())
	if err != nil {
		return false, err
	}
	result, err := expr.Run(program, l)
	if err != nil {
		return false, innermost(err)
	}
	return result == true, nil
}

// evaluate returns the result of an expression, in a form that the knob accepts.
func evaluate(text string, k knob.Knob, l *language) (string, error) {
	program, err := compile(text, true)
	if err != nil {
		return "", err
	}
	result, err := expr.Run(program, l)
	if err != nil {
		return "", innermost(err)
	}
	if word, ok := result.(string); ok {
		return word, nil
	}
	if x, ok := toFloat(result); ok {
		return wordOf(k, x)
	}
	return "", fmt.Errorf("the result, %v, is neither a number nor a word", result)
}
