// Package botimport turns the setups that people have into sections of a profile pack, and says field by field what
// became of everything.
//
// It reads AstrBot's backups (zip), cmd_config.json and abconf_*.json, a bot's folder on disk, character cards (PNG,
// JSON, CHARX; V1 to V3), SKILL.md folders and Markdown, MCP server lists, and profile packs that were made already.
// What a file is, is seen in its content; its name only breaks ties.
//
// Nothing is redacted here: market/redact does that with a Draft's sections, and MarkRedacted enters the result into
// the report. Private chats, people's account ids, the dashboard's login, plugin code and databases are never taken
// over, and the report says so. The same bytes always give the same Draft.
//
// app calls it for imports, and the command line for `stoa pack` on the member's own machine.
package botimport
