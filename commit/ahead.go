package commit

import "iter"

// batchSize is how many files go from one goroutine to another at a time: a
// switch for each file would cost more than comparing them.
const batchSize = 512

// ahead draws files in a goroutine of its own, some batches ahead. next gives the
// next file, or ok false at the end, or the error that ended the stream; stop
// waits until the goroutine is gone and must be called.
func ahead(files iter.Seq2[File, error]) (next func() (f File, err error, ok bool), stop func()) {
	batches := make(chan []File, 2)
	quit := make(chan struct{})
	var failed error // set before batches is closed
	go func() {
		defer close(batches)
		var batch []File
		for f, err := range files {
			if err != nil {
				failed = err
				break
			}
			if batch == nil {
				batch = make([]File, 0, batchSize)
			}
			if batch = append(batch, f); len(batch) < batchSize {
				continue
			}
			select {
			case batches <- batch:
				batch = nil
			case <-quit:
				return
			}
		}
		if len(batch) > 0 {
			select {
			case batches <- batch:
			case <-quit:
			}
		}
	}()
	var batch []File
	next = func() (File, error, bool) {
		if len(batch) == 0 {
			var ok bool
			if batch, ok = <-batches; !ok {
				err := failed
				return File{}, err, err != nil
			}
		}
		f := batch[0]
		batch = batch[1:]
		return f, nil, true
	}
	stop = func() {
		close(quit)
		for ok := true; ok; {
			_, ok = <-batches
		}
	}
	return next, stop
}
