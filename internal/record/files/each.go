package files

import (
	"runtime"
	"sync"
)

// Each calls do for 0 to n-1 on all CPUs and returns the error of the lowest number, so that the
// same files always give the same message.
func Each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				errs[i] = do(i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
