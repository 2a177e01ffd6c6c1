// Package division shows where the time goes: the response time divided into its parts, of all environments
// side by side and of one run, and the causes that diagnosis names.
package division
