package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
)

// readNetworkBaselines returns the baseline bandwidth of each type in Mbit/s, from the map in a Go
// file that Karpenter generates from AWS's documentation.
func readNetworkBaselines() (map[string]int, error) {
	dir, err := networkModule.download()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "pkg", "providers", "instancetype", "zz_generated.bandwidth.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	baselines := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isText := pair.Key.(*ast.BasicLit)
		value, isNumber := pair.Value.(*ast.BasicLit)
		if isText && isNumber && key.Kind == token.STRING && value.Kind == token.INT {
			name, _ := strconv.Unquote(key.Value) // the parser has checked both
			baselines[name], _ = strconv.Atoi(value.Value)
		}
		return true
	})
	if len(baselines) < len(families) {
		return nil, fmt.Errorf("%s has the bandwidth of only %d types", path, len(baselines))
	}
	return baselines, nil
}
