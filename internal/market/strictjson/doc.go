// Package strictjson reads JSON that strangers wrote, and refuses what two readers could understand
// differently: names given twice in an object, text behind the value, invalid UTF-8, NUL in names, and
// nesting or counts that would cost more than they are worth.
//
// The formats (market/pack, market/botimport) read every file through it, and market/compare hashes what
// Canonical writes. Numbers keep their spelling as json.Number. Errors are *Error with the path and the
// place; they never carry a value of the text.
package strictjson
