package postgres

import (
	"context"
	"fmt"
)

// Reset sets the dataset back before a run: "vacuum" does what pgbench does
// before it starts, and vacuums the workloads' own tables, too; "reload" drops
// everything and loads it again; "none" does nothing.
func (d *database) Reset(ctx context.Context, how string) error {
	var err error
	switch how {
	case "none":
	case "vacuum":
		err = d.vacuum(ctx)
	case "reload":
		return d.Load(ctx, nil)
	default:
		err = fmt.Errorf("no way is called %q", how)
	}
	if err != nil {
		return fmt.Errorf("cannot reset the dataset: %w", d.because(ctx, err))
	}
	return nil
}

func (d *database) vacuum(ctx context.Context) error {
	if !d.loaded {
		return fmt.Errorf("it is not loaded")
	}
	var statements []string
	if d.Experiment.Dataset.Scale > 0 {
		statements = []string{"VACUUM pgbench_branches", "VACUUM pgbench_tellers", "TRUNCATE pgbench_history"}
	}
	for _, table := range d.ownTables {
		statements = append(statements, "VACUUM "+table)
	}
	for _, statement := range statements {
		if err := d.exec(ctx, d.name, statement); err != nil {
			return err
		}
	}
	return nil
}
