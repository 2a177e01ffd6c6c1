package experiment

import (
	"reflect"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// Quantities as package unit reads them.
const (
	amountPattern = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
	spanPattern   = amountPattern + `(ns|us|µs|μs|ms|s|m|h)`
	sizePattern   = amountPattern + ` *([KMGT]iB|[kMGT]?B)`
)

var quantities = map[reflect.Type]string{
	reflect.TypeFor[unit.Duration](): spanPattern + `(` + spanPattern + `)*`,
	reflect.TypeFor[unit.Share]():    `[0-9]+(\.[0-9]+)? *%`,
	reflect.TypeFor[unit.Size]():     sizePattern,
	reflect.TypeFor[unit.Rate]():     sizePattern + `/s`,
}

// storageSchema is what storage is made of, or nil for other types. What a model
// holds is for the reader of device files to check.
func storageSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[*device.Device]():
		return object{"type": "object"}
	case reflect.TypeFor[Volume](), reflect.TypeFor[Disk](), reflect.TypeFor[Emulation]():
		return shortSchema(t)
	case reflect.TypeFor[[]Tablespace]():
		return object{
			"type": []string{"object", "null"}, "propertyNames": object{"pattern": validTablespace.String()},
			"additionalProperties": shortSchema(reflect.TypeFor[Volume]()),
		}
	}
	return nil
}

// shortSchema is a struct for which one word may stand.
func shortSchema(t reflect.Type) object {
	keys := sectionSchema(t)
	keys["type"] = "object"
	return object{"anyOf": []object{{"type": "string", "minLength": 1}, keys}}
}
