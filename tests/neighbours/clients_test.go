package neighbours

import (
	"os"
	"path/filepath"
	"strings"
)

const (
	garden = "/feeds/git/items/ada/garden.git"
	diary  = "/feeds/git/items/ada/diary.git"
	byAda  = "/feeds/git/owners/ada.git"
	mine   = "/feeds/git/mine.git"
	ofAda  = "ada--garden@by-ada-stoa-local"
	ofMine = "ada--diary@mine-stoa-local"
)

// find reports whether a file of this name lies anywhere below a folder of the home, with a word in its path.
func (r *run) find(dir, word string) bool {
	found := false
	_ = filepath.WalkDir(filepath.Join(r.home, dir), func(path string, d os.DirEntry, err error) error {
		found = found || err == nil && strings.HasSuffix(path, "SKILL.md") && strings.Contains(path, word)
		return nil
	})
	return found
}

var clients = []client{
	{
		name: "git",
		list: func(r *run) bool { return r.do("git", "ls-remote", r.url(garden)) && r.says("refs/tags/v1.0.0") },
		install: func(r *run) bool {
			return r.do("git", "clone", r.url(garden), "garden") && r.holds("1.0.0", "project/garden/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("git", "-C", "garden", "pull", "--ff-only") && r.holds("1.1.0", "project/garden/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool { return !r.do("git", "ls-remote", r.url(garden)) },
		private: func(r *run, token string) bool {
			return !r.do("git", "clone", r.url(diary), "none") && r.do("git", "clone", r.withToken(diary, token), "diary") && r.find("project/diary", "diary")
		},
	},
	{
		name: "Claude Code",
		list: func(r *run) bool {
			return r.do("claude", "plugin", "marketplace", "add", r.url(byAda)) && r.do("claude", "plugin", "list", "--available", "--json") && r.says("ada--garden")
		},
		install: func(r *run) bool {
			return r.do("claude", "plugin", "install", ofAda) && r.holds("1.0.0", ".claude/plugins/cache/by-ada-stoa-local/ada--garden/1.0.0/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("claude", "plugin", "marketplace", "update", "by-ada-stoa-local") && r.do("claude", "plugin", "update", ofAda) &&
				r.holds("1.1.0", ".claude/plugins/cache/by-ada-stoa-local/ada--garden/1.1.0/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool {
			return r.do("claude", "plugin", "marketplace", "update", "by-ada-stoa-local") && r.do("claude", "plugin", "uninstall", ofAda) && !r.do("claude", "plugin", "install", ofAda)
		},
		private: func(r *run, token string) bool {
			return !r.do("claude", "plugin", "marketplace", "add", r.url(mine)) && r.do("claude", "plugin", "marketplace", "add", r.withToken(mine, token)) &&
				r.do("claude", "plugin", "install", ofMine) && r.find(".claude/plugins/cache", "diary")
		},
		signsIn: func(r *run) bool { // it wants a terminal
			return r.do("claude", "mcp", "add", "--transport", "http", "stoa", r.url("/mcp")) && r.do("script", "-qfec", "claude mcp login stoa", "/dev/null") &&
				r.do("claude", "mcp", "list") && r.says("✔ Connected")
		},
	},
	{
		name: "Codex",
		list: func(r *run) bool {
			return r.do("codex", "plugin", "marketplace", "add", r.url(byAda)) && r.do("codex", "plugin", "list") && r.says("ada--garden")
		},
		install: func(r *run) bool {
			return r.do("codex", "plugin", "add", ofAda) && r.holds("1.0.0", ".codex/plugins/cache/by-ada-stoa-local/ada--garden/1.0.0/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("codex", "plugin", "marketplace", "upgrade") && r.do("codex", "plugin", "add", ofAda) &&
				r.holds("1.1.0", ".codex/plugins/cache/by-ada-stoa-local/ada--garden/1.1.0/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool {
			return r.do("codex", "plugin", "marketplace", "upgrade") && r.do("codex", "plugin", "remove", ofAda) && !r.do("codex", "plugin", "add", ofAda)
		},
		private: func(r *run, token string) bool {
			return !r.do("codex", "plugin", "marketplace", "add", r.url(mine)) && r.do("codex", "plugin", "marketplace", "add", r.withToken(mine, token)) &&
				r.do("codex", "plugin", "add", ofMine) && r.find(".codex/plugins/cache", "diary")
		},
		signsIn: func(r *run) bool {
			return r.do("codex", "mcp", "add", "stoa", "--url", r.url("/mcp")) && r.do("codex", "mcp", "list") && r.says("OAuth") &&
				r.do("sh", "-c", asksCodex) && r.says(`"graph_around"`)
		},
	},
	{
		name: "Copilot CLI",
		list: func(r *run) bool {
			return r.do("copilot", "plugin", "marketplace", "add", r.url(byAda)) && r.do("copilot", "plugin", "marketplace", "browse", "by-ada-stoa-local") && r.says("ada--garden")
		},
		install: func(r *run) bool {
			return r.do("copilot", "plugin", "install", ofAda) && r.holds("1.0.0", ".copilot/installed-plugins/by-ada-stoa-local/ada--garden/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("copilot", "plugin", "marketplace", "update", "by-ada-stoa-local") && r.do("copilot", "plugin", "update", ofAda) &&
				r.holds("1.1.0", ".copilot/installed-plugins/by-ada-stoa-local/ada--garden/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool {
			return r.do("copilot", "plugin", "marketplace", "update", "by-ada-stoa-local") && r.do("copilot", "plugin", "marketplace", "browse", "by-ada-stoa-local") && !r.says("ada--garden")
		},
		private: func(r *run, token string) bool {
			return !r.do("copilot", "plugin", "marketplace", "add", r.url(mine)) && r.do("copilot", "plugin", "marketplace", "add", r.withToken(mine, token)) &&
				r.do("copilot", "plugin", "install", ofMine) && r.find(".copilot/installed-plugins", "diary")
		},
	},
	{
		name: "skills (git)",
		list: func(r *run) bool { return r.do("skills", "add", r.url(garden), "--list") && r.says("watering") },
		install: func(r *run) bool {
			return r.do("skills", "add", r.url(garden), "-y", "-a", "claude-code") && r.holds("1.0.0", "project/.claude/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("skills", "update", "-y") && r.find("project", "watering") && r.holdsAny("1.1.0")
		},
		withdrawn: func(r *run) bool { return !r.do("skills", "add", r.url(garden), "--list") },
		private: func(r *run, token string) bool {
			return r.do("skills", "add", r.withToken(diary, token), "-y", "-a", "claude-code") && r.find("project", "diary")
		},
	},
	{
		name: "skills (index)",
		list: func(r *run) bool {
			return r.do("skills", "add", r.url("/feeds/skills/by/ada"), "--list") && r.says("ada-watering")
		},
		install: func(r *run) bool {
			return r.do("skills", "add", r.url("/feeds/skills/by/ada"), "-y", "-s", "watering", "-a", "claude-code") && r.holds("1.0.0", "project/.claude/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.do("skills", "add", r.url("/feeds/skills/by/ada"), "-y", "-s", "watering", "-a", "claude-code") && r.holds("1.1.0", "project/.claude/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool {
			return r.do("skills", "add", r.url("/feeds/skills/by/ada"), "--list") && !r.says("ada-watering")
		},
	},
	{
		name: "npm",
		list: func(r *run) bool { return r.npm("view", "@stoa/ada--garden", "versions") && r.says("1.0.0") },
		install: func(r *run) bool {
			return r.npm("install", "@stoa/ada--garden") && r.holds("1.0.0", "project/node_modules/@stoa/ada--garden/skills/watering/SKILL.md")
		},
		update: func(r *run) bool {
			return r.npm("update", "--prefer-online") && r.holds("1.1.0", "project/node_modules/@stoa/ada--garden/skills/watering/SKILL.md")
		},
		withdrawn: func(r *run) bool { return !r.npm("view", "--prefer-online", "@stoa/ada--garden") && r.says("E404") },
		private: func(r *run, token string) bool {
			rc := "//" + strings.TrimPrefix(r.url("/feeds/npm/:_authToken="), "http://") + token + "\n"
			return !r.npm("view", "@stoa/ada--diary") && os.WriteFile(filepath.Join(r.home, ".npmrc"), []byte(rc), 0o600) == nil &&
				r.npm("install", "--prefer-online", "@stoa/ada--diary") && r.find("project/node_modules/@stoa", "diary")
		},
	},
	{
		name: "clawhub",
		list: func(r *run) bool { return r.claw("search", "garden") && r.says("ada--garden") },
		install: func(r *run) bool {
			return r.claw("install", "ada--garden") && r.holds("1.0.0", "project/skills/ada--garden/SKILL.md")
		},
		update: func(r *run) bool {
			return r.claw("update", "ada--garden") && r.holds("1.1.0", "project/skills/ada--garden/SKILL.md")
		},
		withdrawn: func(r *run) bool {
			return r.claw("search", "garden") && !r.says("ada--garden") && !r.claw("install", "--force", "ada--garden")
		},
		private: func(r *run, token string) bool {
			config := filepath.Join(r.home, "clawhub.json")
			if os.WriteFile(config, []byte(`{"registry":"`+r.url("/feeds/clawhub")+`","token":"`+token+`"}`), 0o600) != nil || r.claw("install", "ada--diary") {
				return false
			}
			r.env = append(r.env, "CLAWHUB_CONFIG_PATH="+config)
			return r.claw("install", "ada--diary") && r.find("project/skills", "diary")
		},
	},
}

// holdsAny reports whether the skill of a version lies in one of the places where `skills` keeps them.
func (r *run) holdsAny(version string) bool {
	return r.holds(version, "project/.claude/skills/watering/SKILL.md") || r.holds(version, "project/.agents/skills/watering/SKILL.md")
}

func (r *run) npm(args ...string) bool {
	return r.do("npm", append(args, "--@stoa:registry="+r.url("/feeds/npm"), "--no-audit", "--no-fund")...)
}

func (r *run) claw(args ...string) bool {
	r.env = append(r.env, "CLAWHUB_SITE="+r.s.URL)
	return r.do("clawhub", args...)
}
