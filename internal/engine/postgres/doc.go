// Package postgres is a PostgreSQL server's life in an experiment. An Own
// server is made by the installed programs and thrown away; a Connected one was
// there before and keeps all but a database of plinth's own. The database
// inside, its dataset and what is known of it are the same code for both.
package postgres
