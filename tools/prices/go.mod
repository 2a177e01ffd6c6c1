module plinth/tools/prices

go 1.26.0
