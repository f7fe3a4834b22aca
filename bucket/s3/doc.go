// Package s3 is the driver for Amazon S3 and stores that speak its protocol.
//
// Signing, retries, regions and credentials are aws-sdk-go-v2's. Only the
// answer of ListObjectVersions is decoded here: the SDK's own decoder keeps
// versions and delete markers in two lists and so loses their order, and it
// costs thirty times as much (see scan.go).
package s3
