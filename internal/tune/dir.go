package tune

// Dir is the directory of the journals of tuning, and of the lock, below a state
// directory. What is applied around a command has its journal there, too, so that Kept
// finds it when plinth died, and puts it back before anything that was kept before.
func Dir(stateDir string) string { return tuneDir(stateDir) }
