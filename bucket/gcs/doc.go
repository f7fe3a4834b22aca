// Package gcs is the driver for Google Cloud Storage, over its JSON API.
//
// Cloud Storage has no delete markers. A generation that is no longer live has the
// time at which it stopped, and a deletion shows only as a gap between that time and
// the next generation's creation. The driver puts a marker of its own there, with the
// ID deleted-GENERATION, so that the layers above see the same sequence of versions
// and markers as on S3 (see history.go).
//
// The operations are google.golang.org/api/storage/v1's, the layer that
// cloud.google.com/go/storage itself stands on: that package brings gRPC along, which
// would make the program half as large again and its start slower by 30 ms. Only the
// answer of a listing is decoded here (page.go), as on S3.
package gcs
