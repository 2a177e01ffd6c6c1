package base

import (
	"fmt"
	"os"

	"plinth/internal/cost"
	"plinth/internal/price"
)

// OwnBook reads a price file; "" for none.
func OwnBook(path string) (cost.Books, error) {
	if path == "" {
		return cost.Books{}, nil
	}
	b, err := ReadBook(path)
	return cost.Books{Own: b}, err
}

// ReadBook reads a price file.
func ReadBook(path string) (*price.Book, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the price file: %w", err)
	}
	return price.Parse(path, data)
}
