package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// WritePoints writes points as a Parquet file: one row per second, one optional DOUBLE column for
// each Column, in the same order. A gap (NaN) becomes a null: Parquet readers skip nulls when
// they average, but not NaN.
func WritePoints(path string, points Points) error {
	return writePoints(points, func() (*os.File, error) { return os.Create(path) })
}

func writePoints(points Points, create func() (*os.File, error)) error {
	err := points.check()
	if err == nil {
		var file *os.File
		if file, err = create(); err == nil {
			err = errors.Join(points.encode(file), file.Sync(), file.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write the second-by-second data: %w", err)
	}
	return nil
}

func (p Points) check() error {
	if len(p.Columns) == 0 || len(p.Columns) > maxPointColumns {
		return fmt.Errorf("%d columns", len(p.Columns))
	}
	seen := map[string]bool{}
	for _, column := range p.Columns {
		if column.Name == "" || seen[column.Name] {
			return fmt.Errorf("column name %q is empty or duplicated", column.Name)
		}
		seen[column.Name] = true
		if len(column.Values) != len(p.Columns[0].Values) {
			return fmt.Errorf("column %q has %d values, but the first column has %d",
				column.Name, len(column.Values), len(p.Columns[0].Values))
		}
	}
	return nil
}

func (p Points) encode(w io.Writer) error {
	root := pointsNode{Group: parquet.Group{}}
	for _, column := range p.Columns {
		leaf := parquet.Optional(parquet.Leaf(parquet.DoubleType))
		root.Group[column.Name] = leaf
		root.fields = append(root.fields, pointsField{leaf, column.Name})
	}
	writer := parquet.NewGenericWriter[any](w,
		parquet.NewSchema("points", root),
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("plinth", "", ""),
	)
	for second := range p.Columns[0].Values {
		if _, err := writer.WriteRows([]parquet.Row{p.row(second)}); err != nil {
			return err
		}
	}
	return writer.Close()
}

func (p Points) row(second int) parquet.Row {
	row := make(parquet.Row, len(p.Columns))
	for i, column := range p.Columns {
		if v := column.Values[second]; math.IsNaN(v) {
			row[i] = parquet.NullValue().Level(0, 0, i)
		} else {
			row[i] = parquet.DoubleValue(v).Level(0, 1, i)
		}
	}
	return row
}

// pointsNode is the root of a schema whose columns keep their order: parquet.Group, a map, would
// sort them by name.
type pointsNode struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in their original order.
func (n pointsNode) Fields() []parquet.Field { return n.fields }

// GoType keeps parquet-go from building a struct type: column names such as script.read.tps are
// not Go identifiers.
func (n pointsNode) GoType() reflect.Type { return reflect.TypeFor[map[string]*float64]() }

type pointsField struct {
	parquet.Node
	name string
}

// Name returns the name of the column.
func (f pointsField) Name() string { return f.name }

// Value implements parquet.Field for rows of Go values; WritePoints passes rows directly.
func (f pointsField) Value(base reflect.Value) reflect.Value {
	return base.MapIndex(reflect.ValueOf(f.name))
}
