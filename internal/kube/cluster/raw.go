package cluster

import (
	"context"
	"net/url"
)

// Raw returns what the API server answers at a path: its own answer, or that of a kubelet behind it.
func (c *Cluster) Raw(ctx context.Context, path string, query url.Values) ([]byte, error) {
	answer, err := c.get(ctx, path, query)
	if err != nil {
		return nil, c.explain(err)
	}
	return answer, nil
}

// IsGone reports whether an error says that an object, or a whole API, does not exist.
func IsGone(err error) bool { return isGone(err) }
