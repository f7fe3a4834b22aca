package views

import "iter"

// keptNames is the most folders and files that are remembered of one bucket: as many as
// one walk may find.
const keptNames = walkMost * walkPage

// A walkLevel is one folder as a walk listed it.
type walkLevel struct {
	prefix string
	items  []walkItem
	cut    bool // there are more names
}

func (l *walkLevel) all() iter.Seq2[walkItem, error] {
	return func(yield func(walkItem, error) bool) {
		for _, it := range l.items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// keepLevel remembers a folder for the next walk, until the bucket is loaded again or
// this program writes to it; what would be too much is not remembered.
func (k *known) keepLevel(l *walkLevel) {
	size := len(l.items) + 1
	if old := k.levels[l.prefix]; old != nil {
		size -= len(old.items) + 1
	}
	if k.levelNames+size > keptNames {
		return
	}
	if k.levels == nil {
		k.levels = map[string]*walkLevel{}
	}
	k.levelNames += size
	k.levels[l.prefix] = l
}

func (k *known) forgetLevels() { k.levels, k.levelNames = nil, 0 }

// forgetLevels makes the next walks list all folders anew, in any bucket.
func (e *env) forgetLevels() {
	for _, k := range e.learned {
		k.forgetLevels()
	}
}
