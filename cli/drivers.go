package cli

// The drivers make themselves known to bucket.Open.
import (
	_ "provcat-tui/bucket/local"
)
