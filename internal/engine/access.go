package engine

import "net/netip"

// Access is how load generators on other machines reach a server of plinth's own: at one address
// of the server's machine, on a port that the kernel chooses, with a random password that is new
// for each server and kept in memory. Unless the environment's transport is TLS, the connection is not
// encrypted, but no password crosses it in PostgreSQL's protocol (SCRAM); in Redis' protocol it does. PostgreSQL admits the drivers'
// machines only. Redis cannot restrict the addresses of its clients: any machine that reaches the
// address may try a password.
//
// plinth itself, and tools on the server's machine, still use the server's private socket.
type Access struct {
	Address netip.Addr   // of the server's machine, on which the server listens
	Drivers []netip.Addr // of the machines that may connect
}
