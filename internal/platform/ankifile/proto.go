package ankifile

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// value is a field of a protobuf message: a number (of a float its bits) or bytes.
type value struct {
	number uint64
	bytes  []byte
}

// fields walks the fields of a message; what is broken ends it.
func fields(message []byte) iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		for len(message) > 0 {
			number, kind, n := protowire.ConsumeTag(message)
			if n < 0 {
				return
			}
			message = message[n:]
			var v value
			switch kind {
			case protowire.VarintType:
				v.number, n = protowire.ConsumeVarint(message)
			case protowire.Fixed32Type:
				var bits uint32
				bits, n = protowire.ConsumeFixed32(message)
				v.number = uint64(bits)
			case protowire.BytesType:
				v.bytes, n = protowire.ConsumeBytes(message)
			default:
				n = protowire.ConsumeFieldValue(number, kind, message)
			}
			if n < 0 || !yield(int(number), v) {
				return
			}
			message = message[n:]
		}
	}
}

// message builds a protobuf message.
type message []byte

func (m message) text(number int, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, protowire.Number(number), protowire.BytesType), s)
}

func (m message) inner(number int, in message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, protowire.Number(number), protowire.BytesType), in)
}

func (m message) num(number int, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(number), protowire.VarintType), v)
}
