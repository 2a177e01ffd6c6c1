package emulator

// cacheSize is the capacity of a write cache, in bytes. A full cache evicts its oldest block, as
// real caches do; a power cut drops what is left. It is small, so that a flush, which blocks
// other operations, takes only a few milliseconds.
const cacheSize = 16 << 20

// cache is a volatile write cache of whole blocks with first-in, first-out eviction.
type cache struct {
	slots  map[int64]int // maps a block of the device to its slot in memory
	order  []int64       // the block in each slot, initially oldest first
	first  int           // the slot of the oldest block
	memory []byte
}

func newCache(size int) *cache {
	blocks := size / blockSize
	return &cache{slots: make(map[int64]int, blocks), order: make([]int64, 0, blocks), memory: make([]byte, size)}
}

func (c *cache) block(slot int) []byte {
	return c.memory[slot*blockSize : (slot+1)*blockSize]
}

// write stores p. It fills up a partially written block with read, and writes evicted blocks with
// through.
func (c *cache) write(p []byte, offset int64, read func([]byte, int64) (int, error), through func([]byte, int64) error) error {
	for len(p) > 0 {
		number, within := offset/blockSize, int(offset%blockSize)
		n := min(len(p), blockSize-within)
		slot, there := c.slots[number]
		if !there {
			var err error
			if slot, err = c.place(through); err != nil {
				return err
			}
			if n < blockSize {
				if _, err := read(c.block(slot), number*blockSize); err != nil {
					return err
				}
			}
			c.put(number, slot)
		}
		copy(c.block(slot)[within:], p[:n])
		p, offset = p[n:], offset+int64(n)
	}
	return nil
}

// place returns a free slot. If all are taken, it evicts the oldest block.
func (c *cache) place(through func([]byte, int64) error) (int, error) {
	if len(c.order) < cap(c.order) {
		return len(c.order), nil
	}
	oldest := c.order[c.first]
	if oldest < 0 {
		return c.first, nil
	}
	if err := through(c.block(c.first), oldest*blockSize); err != nil {
		return 0, err
	}
	delete(c.slots, oldest)
	c.order[c.first] = -1
	return c.first, nil
}

// put assigns a block to a slot returned by place.
func (c *cache) put(number int64, slot int) {
	if slot == len(c.order) {
		c.order = append(c.order, number)
	} else {
		c.order[slot] = number
		c.first = (c.first + 1) % len(c.order)
	}
	c.slots[number] = slot
}

// overlay copies cached data over p, which was read from below the cache.
func (c *cache) overlay(p []byte, offset int64) {
	for len(p) > 0 && len(c.slots) > 0 {
		within := int(offset % blockSize)
		n := min(len(p), blockSize-within)
		if slot, there := c.slots[offset/blockSize]; there {
			copy(p[:n], c.block(slot)[within:])
		}
		p, offset = p[n:], offset+int64(n)
	}
}

// drain writes all blocks, oldest first, and empties the cache. After an error it keeps all of
// them.
func (c *cache) drain(through func([]byte, int64) error) error {
	for i := range c.order {
		slot := (c.first + i) % len(c.order)
		if c.order[slot] < 0 {
			continue
		}
		if err := through(c.block(slot), c.order[slot]*blockSize); err != nil {
			return err
		}
	}
	c.clear()
	return nil
}

// release writes the blocks that overlap a range, and removes them from the cache.
func (c *cache) release(offset, length int64, through func([]byte, int64) error) error {
	for slot, number := range c.order {
		at := number * blockSize
		if number < 0 || at >= offset+length || at+blockSize <= offset {
			continue
		}
		if err := through(c.block(slot), at); err != nil {
			return err
		}
		delete(c.slots, number)
		c.order[slot] = -1
	}
	return nil
}

func (c *cache) clear() {
	clear(c.slots)
	c.order, c.first = c.order[:0], 0
}
