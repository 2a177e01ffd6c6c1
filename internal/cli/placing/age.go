package placing

import (
	"fmt"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/hint"
	"plinth/internal/placement"
)

// columnsOf parses the values of --age.
func columnsOf(texts []string) ([]relation.Column, error) {
	var all []relation.Column
	for _, text := range texts {
		c, err := relation.ParseColumn(text)
		if err != nil {
			return nil, hint.Wrap(fmt.Errorf("--age: %w", err), hint.Of(err))
		}
		all = append(all, c)
	}
	return all, nil
}

// agesOf returns the ages of rows by the columns, with what the old rows of a table would save on another store of a
// plan, which may be nil.
func agesOf(rates relation.Rates, work placement.Workload, columns []relation.Column, choice *placeChoice, plan *placement.Plan) ([]placement.Aged, error) {
	ages, err := placement.Ages(rates, work, columns)
	if err != nil || plan == nil {
		return ages, err
	}
	for i := range ages {
		ages[i].Save(*plan, choice.price)
	}
	return ages, nil
}
