package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DefaultTimeout is how long an object store may take to begin an answer; a whole upload may take three times as long.
const DefaultTimeout = 10 * time.Second

// Address says where an object store is. Keys are no part of it.
type Address struct {
	Endpoint string // host or host:port
	Bucket   string
	Prefix   string // of every name in the bucket, "" or ending in a slash
	Region   string
	Insecure bool // HTTP instead of HTTPS
	// Timeout bounds how long one call may hang; an upload may take three times as long.
	Timeout time.Duration
}

// ParseAddress reads s3://bucket/prefix?endpoint=host:port&region=…&insecure=true&timeout=10s. Without an endpoint it is
// Amazon's in that region.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return Address{}, errors.New("the blobs must be an address like s3://bucket/prefix?endpoint=host:port; leave it out for a folder in the data folder")
	}
	if u.User != nil {
		return Address{}, errors.New("the blobs' address must not hold keys; set STOA_S3_ACCESS_KEY and STOA_S3_SECRET_KEY")
	}
	a := Address{Bucket: u.Host, Timeout: DefaultTimeout}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		a.Prefix = prefix + "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errors.New("the blobs' address has a query that cannot be read")
	}
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "endpoint":
			a.Endpoint = value
		case "region":
			a.Region = value
		case "insecure":
			if a.Insecure, err = strconv.ParseBool(value); err != nil {
				return Address{}, fmt.Errorf("the blobs' address says insecure=%s; true and false are possible", value)
			}
		case "timeout":
			if a.Timeout, err = time.ParseDuration(value); err != nil || a.Timeout <= 0 {
				return Address{}, fmt.Errorf("the blobs' address says timeout=%s; it must be a time like 10s", value)
			}
		default:
			return Address{}, fmt.Errorf("the blobs' address has a part that there is not: %s", name)
		}
	}
	if a.Endpoint == "" {
		if a.Insecure {
			return Address{}, errors.New("the blobs' address says insecure without an endpoint")
		}
		a.Endpoint = "s3.amazonaws.com"
		if a.Region != "" {
			a.Endpoint = "s3." + a.Region + ".amazonaws.com"
		}
	} else if a.Region == "" {
		a.Region = "us-east-1" // what servers other than Amazon's take when nobody has told them another
	}
	if strings.Contains(a.Endpoint, "/") {
		return Address{}, fmt.Errorf("the blobs' endpoint must be host or host:port, not %s", a.Endpoint)
	}
	return a, nil
}
