module plinth/tools/tpe

go 1.26.0

require (
	github.com/c-bata/goptuna v0.9.0
	plinth v0.0.0
)

require (
	github.com/expr-lang/expr v1.17.8 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace plinth => ../..
