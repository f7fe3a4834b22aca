package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Credentials of SeaweedFS's only identity. They open nothing else.
const (
	accessKey = "provcat-test"
	secretKey = "provcat-test-secret"
)

const identities = `{"identities":[{"name":"test","credentials":[{"accessKey":"` + accessKey +
	`","secretKey":"` + secretKey + `"}],"actions":["Admin","Read","Write","List","Tagging"]}]}`

var seaweedFS = kind{
	name:      "SeaweedFS",
	ports:     4,
	arguments: weedArguments,
	try:       tryS3,
	env: func(endpoint string) []string {
		return []string{"PROVCAT_TEST_S3=" + endpoint, "AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey}
	},
}

func weedArguments(dir string, port int) ([]string, error) {
	settings := filepath.Join(dir, "s3.json")
	if err := os.WriteFile(settings, []byte(identities), 0o600); err != nil {
		return nil, err
	}
	p := func(n int) string { return fmt.Sprint(port + n) }
	return []string{"-logtostderr=true", "server",
		"-dir=" + filepath.Join(dir, "data"), "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
		"-master.port=" + p(1), "-master.volumeSizeLimitMB=64", "-master.telemetry=false",
		"-volume.port=" + p(2), "-volume.max=200", "-volume.preStopSeconds=1",
		"-filer", "-filer.port=" + p(3),
		"-s3", "-s3.port=" + p(0), "-s3.config=" + settings,
		// Neither catalog is used, and their ports are fixed ones.
		"-s3.port.iceberg=0", "-s3.port.lance=0"}, nil
}

func tryS3(ctx context.Context, endpoint string) error {
	c := s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint), UsePathStyle: true, Region: "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		RetryMaxAttempts: 1,
	})
	name, key := aws.String("realserver-ready"), aws.String("k")
	if _, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name}); err != nil && !strings.Contains(err.Error(), "BucketAlready") {
		return err
	}
	if _, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: key, Body: strings.NewReader("ready")}); err != nil {
		return err
	}
	if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: key}); err != nil {
		return err
	}
	_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
	return err
}
