package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"
)

// fakeGCS is fake-gcs-server, which keeps its buckets in memory.
var fakeGCS = kind{
	name:  "fake-gcs-server",
	ports: 1,
	arguments: func(_ string, port int) ([]string, error) {
		at := fmt.Sprintf("127.0.0.1:%d", port)
		return []string{"-scheme", "http", "-host", "127.0.0.1", "-port", fmt.Sprint(port), "-backend", "memory",
			"-public-host", at, "-external-url", "http://" + at}, nil
	},
	try: tryGCS,
	env: func(endpoint string) []string { return []string{"PROVCAT_TEST_GCS=" + endpoint} },
}

func tryGCS(ctx context.Context, endpoint string) error {
	c, err := storage.NewService(ctx, option.WithEndpoint(endpoint+"/storage/v1/"), option.WithoutAuthentication())
	if err != nil {
		return err
	}
	const name, key = "realserver-ready", "k"
	if _, err := c.Buckets.Insert("project", &storage.Bucket{Name: name}).Context(ctx).Do(); err != nil && !isConflict(err) {
		return err
	}
	if _, err := c.Objects.Insert(name, &storage.Object{Name: key}).Media(strings.NewReader("ready")).Context(ctx).Do(); err != nil {
		return err
	}
	if err := c.Objects.Delete(name, key).Context(ctx).Do(); err != nil {
		return err
	}
	return c.Buckets.Delete(name).Context(ctx).Do()
}

// isConflict says that the bucket is there from an attempt before.
func isConflict(err error) bool {
	var refused *googleapi.Error
	return errors.As(err, &refused) && refused.Code == http.StatusConflict
}
