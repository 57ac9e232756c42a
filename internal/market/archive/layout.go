package archive

import (
	"cmp"
	"io"
	"slices"
)

// checkLayout compares every local header with its record in the directory and wants the entries to tile
// the bytes before the directory: no overlap, no gap, nothing before the first. It sets entry.data.
func checkLayout(r io.ReaderAt, entries []entry, directory int64) error {
	order := make([]*entry, len(entries))
	for i := range entries {
		order[i] = &entries[i]
	}
	slices.SortFunc(order, func(a, b *entry) int { return cmp.Compare(a.offset, b.offset) })
	var buffer []byte
	for i, e := range order {
		next := directory
		if i+1 < len(order) {
			next = order[i+1].offset
		}
		switch {
		case next > directory || e.offset > directory-localBytes:
			return refuse(BadDirectory, e.name)
		case i == 0 && e.offset > 0:
			return refuse(PrefixData, e.name)
		case next < e.offset+localBytes:
			return refuse(OverlappingEntries, e.name)
		}
		var err error
		if buffer, err = checkLocal(r, e, next, buffer); err != nil {
			return err
		}
	}
	if len(order) == 0 && directory > 0 {
		return refuse(HiddenData, "")
	}
	return nil
}

// checkLocal checks one local header, and that its entry ends at next.
func checkLocal(r io.ReaderAt, e *entry, next int64, buffer []byte) ([]byte, error) {
	var h [localBytes]byte
	if err := read(r, h[:], e.offset); err != nil {
		return buffer, err
	}
	if little.Uint32(h[:]) != localSignature {
		return buffer, refuse(BadDirectory, e.name)
	}
	nameBytes, extraBytes := int(little.Uint16(h[26:])), int(little.Uint16(h[28:]))
	e.data = e.offset + localBytes + int64(nameBytes+extraBytes)
	if e.data > next || e.packed > next-e.data {
		return buffer, refuse(OverlappingEntries, e.name)
	}
	buffer = slices.Grow(buffer[:0], nameBytes+extraBytes)[:nameBytes+extraBytes]
	if err := read(r, buffer, e.offset+localBytes); err != nil {
		return buffer, err
	}
	const compared = flagEncrypted | flagDescriptor | flagPatched | flagStrong | flagUTF8 | flagMasked
	if string(buffer[:nameBytes]) != e.name || little.Uint16(h[8:]) != e.method || (little.Uint16(h[6:])^e.flags)&compared != 0 {
		return buffer, refuse(LocalMismatch, e.name)
	}
	wide, no := readExtra(buffer[nameBytes:], e.name)
	if no != nil {
		return buffer, no
	}
	if no := checkLocalSizes(h[:], e, wide); no != nil {
		return buffer, no
	}
	rest := next - e.data - e.packed
	if e.flags&flagDescriptor == 0 {
		if rest != 0 {
			return buffer, refuse(HiddenData, e.name)
		}
		return buffer, nil
	}
	return buffer, checkDescriptor(r, e, rest)
}

// checkLocalSizes compares CRC and sizes. With a data descriptor behind the data they may be zero here.
func checkLocalSizes(h []byte, e *entry, wide []byte) *Refusal {
	crc, local := little.Uint32(h[14:]), entry{name: e.name, packed: int64(little.Uint32(h[18:])), size: int64(little.Uint32(h[22:]))}
	late := e.flags&flagDescriptor != 0
	if local.size == none32 || local.packed == none32 {
		if no := widen(&local, new(int64), wide); no != nil {
			return no
		}
	}
	fits := func(local, central int64) bool { return local == central || late && local == 0 }
	switch {
	case !fits(int64(crc), int64(e.crc)):
		return refuse(LocalMismatch, e.name)
	case !fits(local.size, e.size), !fits(local.packed, e.packed):
		return refuse(SizeMismatch, e.name)
	}
	return nil
}

// checkDescriptor reads the record behind the data: CRC and both sizes in 4 or 8 bytes each, with or without
// a signature (APPNOTE 4.3.9). Its length, up to the next entry, tells the form.
func checkDescriptor(r io.ReaderAt, e *entry, length int64) error {
	if length != 12 && length != 16 && length != 20 && length != 24 {
		if length < 12 {
			return refuse(OverlappingEntries, e.name)
		}
		return refuse(HiddenData, e.name)
	}
	var record [24]byte
	b := record[:length]
	if err := read(r, b, e.data+e.packed); err != nil {
		return err
	}
	if length == 16 || length == 24 {
		if little.Uint32(b) != descriptorSignature {
			return refuse(HiddenData, e.name)
		}
		b = b[4:]
	}
	crc := little.Uint32(b)
	packed, unpacked := uint64(little.Uint32(b[4:])), uint64(little.Uint32(b[8:]))
	if len(b) == 20 {
		packed, unpacked = little.Uint64(b[4:]), little.Uint64(b[12:])
	}
	switch {
	case crc != e.crc:
		return refuse(LocalMismatch, e.name)
	case packed != uint64(e.packed), unpacked != uint64(e.size):
		return refuse(SizeMismatch, e.name)
	}
	return nil
}
