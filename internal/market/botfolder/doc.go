// Package botfolder is a bot that does not run as a target of market/apply: the data folder of an AstrBot, or a file of
// personas. `stoa apply --folder` uses it on the member's machine.
//
// Of a data folder it writes skills (skills/NAME/SKILL.md), MCP servers (mcp_server.json), providers and single settings
// (cmd_config.json). Personas of AstrBot 4 are in its database, which is the bot's alone. A file of personas is a JSON list, or
// an object that has the list as `personas`, of objects with persona_id and system_prompt (or name and prompt).
//
// A file is written beside itself and put in its place. What is not changed in it keeps its bytes where the file is indented
// the way AstrBot does it (one step for each level, a value a line); other files are brought into that form.
package botfolder
