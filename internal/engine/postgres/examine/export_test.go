package examine

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ReadPart reads one part into f, as Read does for each.
func ReadPart(ctx context.Context, conn *pgx.Conn, f *Facts, what string, read func(context.Context, *pgx.Conn, *Facts) error) {
	part{what, "", read}.readInto(ctx, conn, f)
}

// ReadExtensions reads the extensions, as one of the parts.
var ReadExtensions = rows(extensionsSQL, func(f *Facts) *[]Extension { return &f.Extensions })
