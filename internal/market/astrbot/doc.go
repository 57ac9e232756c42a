// Package astrbot is a running AstrBot as a target of market/apply, over its HTTP API (/api/v1, AstrBot 4.20 and later)
// with a scoped key. `stoa apply` uses it on the member's machine.
//
// The key is sent to the bot's own address alone, never over a redirect, and stands in no error and no journal.
// Facts of the API: openspec/openapi-v1.yaml and dashboard/services of AstrBotDevs/AstrBot, read 2026-11-22. Answers come
// in an envelope {status, message, data}; refusals may come with status 200.
//
// What is compared: of a persona its texts, lists, folder and place; of a skill its SKILL.md, whether it is switched on
// and the names of its other files; of an MCP server its configuration; of a setting its value. Times of change that the
// bot keeps itself are not.
package astrbot
