// Package pack reads and writes the zips that carry a template or a profile pack, and knows what is in them:
// the manifest's schema, paths to single values, selections, the tree shown before a submission, and the
// diagnostics of compatibility.
//
// Reading is strict, since the bytes are strangers': what is not described here is refused with a reason.
// Writing is deterministic: the same input always gives the same bytes, so a package that was lost can be
// made again and still fit its digest. app calls it for imports, submissions and publication; market/botimport
// and the command line build packs with it.
//
// # Paths
//
// A value inside a pack is named by its section and the steps to it: personas.entries.gardener.tools[0]. A key
// of other characters than letters, digits, - and _ is quoted as in JSON: providers["openai/gpt-4.1"].key[0].
//
// # Secrets that travel
//
// A pack made with include_encrypted_secrets may hold the file secrets.age: an age file in armor, at most 1 MiB,
// that only its recipient can open. It is no section, so the manifest's hashes do not name it: their keys are
// exactly the sections. age authenticates its content itself, the sealed text is bound to the pack's id, and
// the digest of the whole zip covers it.
//
// # Names of the meta section
//
// The contract's <service>_meta is stoa_meta here. Packs of the earlier service hold sharelife_meta; it is read
// and kept under its name, and no other *_meta section is.
package pack
