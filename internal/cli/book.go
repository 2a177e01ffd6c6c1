package cli

import (
	"fmt"
	"os"

	"plinth/internal/cost"
	"plinth/internal/price"
)

// ownBook reads a price file; "" for none.
func ownBook(path string) (cost.Books, error) {
	if path == "" {
		return cost.Books{}, nil
	}
	b, err := readBook(path)
	return cost.Books{Own: b}, err
}

// readBook reads a price file.
func readBook(path string) (*price.Book, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the price file: %w", err)
	}
	return price.Parse(path, data)
}
