package cli

// The drivers make themselves known to bucket.Open.
import (
	_ "provcat-tui/bucket/gcs"
	_ "provcat-tui/bucket/local"
	_ "provcat-tui/bucket/s3"
)
