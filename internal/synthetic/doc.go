// Package synthetic is an endpoint for measuring listings: buckets of any number of
// versions, whose pages are made as they are asked for, so that ten million versions
// cost no memory and little time. It answers listings and nothing that writes.
//
// A Shape says what a bucket holds. A dialect (S3's is in s3.go) says how a page of it
// is asked for and written; all of them take their pages from Shape.page.
package synthetic
