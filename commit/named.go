package commit

import (
	"context"

	"provcat-tui/bucket"
)

// EntryPast gives what the versions of one entry of a log named, newest first; none where
// it has only one version, or nothing is there.
func EntryPast(ctx context.Context, b bucket.Bucket, hash string, number int64) ([]PinPast, error) {
	s, err := slot(ctx, b, hash, number)
	if err != nil || len(s.Versions) < 2 {
		return nil, err
	}
	return pastOf(ctx, b, s), nil
}

// EntryThatNamed finds the newest entry of a folder's log that named a commit, whatever
// it names now; 0: none did.
func EntryThatNamed(ctx context.Context, b bucket.Bucket, folder, id string) (int64, []PinPast, error) {
	for s, err := range Log(ctx, b, FolderHash(folder), 32) {
		if err != nil {
			return 0, nil, err
		}
		if len(s.Versions) < 2 {
			continue
		}
		past := pastOf(ctx, b, s)
		for _, p := range past {
			if p.ID == id {
				return s.Number, past, nil
			}
			if p.ID == "" && p.Err != nil {
				return 0, nil, p.Err
			}
		}
	}
	return 0, nil, nil
}
