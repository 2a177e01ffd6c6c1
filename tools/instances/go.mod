module plinth/tools/instances

go 1.26.0
