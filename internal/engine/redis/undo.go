package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/hint"
)

// kindKeys is the only change that is journaled: keys in a connected server.
const kindKeys = "redis-keys"

// writtenKeys are all keys with a prefix. Server is a URI without the password: the process that
// undoes it gets one as redis-cli does.
type writtenKeys struct {
	Server string `json:"server"`
	Prefix string `json:"prefix"`
}

func undoKeys(ctx context.Context, args json.RawMessage) error {
	var written writtenKeys
	if err := json.Unmarshal(args, &written); err != nil || !ownPrefix.MatchString(written.Prefix) {
		return errors.Join(errors.New("cannot remove keys: the journal entry has no valid prefix"), err)
	}
	address, err := conninfo.Conninfo(written.Server).Redis()
	if err != nil {
		return fmt.Errorf("cannot remove keys %s*: the connection string in the journal %w", written.Prefix, err)
	}
	options, err := client.Reach(address)
	if err != nil {
		return err
	}
	rdb := client.New(options)
	defer func() { _ = rdb.Close() }()
	if err := unlink(ctx, rdb, written.Prefix); err != nil {
		return hint.Wrap(fmt.Errorf("cannot remove keys %s* at %s: %w", written.Prefix, address.Address, engine.Plain(err)),
			"the journal holds no password: give it in "+client.CliPassword)
	}
	return nil
}
