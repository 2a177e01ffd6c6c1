package client

import "testing"

// TestKeyMemory: from Redis 7.0 on, the backlog and the replicas' buffers are parts of mem_total_replication_buffers.
func TestKeyMemory(t *testing.T) {
	for _, c := range []struct {
		name, info string
		want       int64
	}{
		{"nothing", "", 0},
		{"before 7.0", "used_memory:10000\r\nmem_clients_normal:100\r\nmem_clients_slaves:200\r\nmem_replication_backlog:1000\r\nmem_aof_buffer:8\r\n", 8692},
		{"7.0", "used_memory:10000\r\nmem_clients_normal:100\r\nmem_clients_slaves:200\r\nmem_replication_backlog:1000\r\n" +
			"mem_total_replication_buffers:1200\r\nmem_aof_buffer:0\r\n", 8700},
	} {
		if got := ParseInfo(c.info).KeyMemory(); got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}
