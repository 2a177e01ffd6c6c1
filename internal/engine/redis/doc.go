// Package redis is the life of a Redis or Valkey server in an experiment. An Own
// server is made by the installed programs and thrown away; a Connected one was
// there before and keeps all but keys of plinth's own. The keys, what is known of
// them and how they are loaded is the same code for both.
package redis
