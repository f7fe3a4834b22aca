// Package histories holds a test, and no code: several processes commit, read logs and
// resolve pins on one bucket, while a proxy between them and the store loses answers
// and the processes are killed at every step. What each was told is then checked against
// what can have happened in some order (linearizability), and against the bucket.
//
//	go test ./internal/histories                                       # a few of each store
//	PROVCAT_HISTORIES=500 go test -timeout 60m -v ./internal/histories # more, with new seeds
//	PROVCAT_SEED=7 go test -run 'TestHistories/s3' ./internal/histories
package histories
