package scan

import "regexp"

const (
	categoryInjection   = "prompt_injection"
	categorySupplyChain = "supply_chain"

	medium = "medium"
	high   = "high"
)

// rule is one thing to look for. Its id is the warning_flag that it raises. Go's regexp runs in time
// linear in the text, and every gap below is bounded.
type rule struct {
	id       string
	category string
	severity string
	pattern  *regexp.Regexp
}

// The rules of the contract's field facts, with the loopback, private and namespace addresses that
// they wrongly took for insecure sources left out.
var rules = []rule{
	{
		"ignore_previous_instructions", categoryInjection, high,
		regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget)\s+(?:(?:all|any|of|the|your|my)\s+){0,3}(?:previous|above|prior|earlier)\s+(?:instructions?|prompts?|rules|directions)`),
	},
	{
		"reveal_system_prompt", categoryInjection, high,
		regexp.MustCompile(`(?i)\b(?:reveal|show|print|repeat|output|leak)\b[^.\n]{0,32}\b(?:system\s+prompt|developer\s+message)`),
	},
	{
		"bypass_safety", categoryInjection, high,
		regexp.MustCompile(`(?i)\b(?:bypass|disable|ignore|circumvent)\b[^.\n]{0,24}\b(?:safety|guardrails?|content\s+policy|restrictions)\b`),
	},
	{
		"privilege_escalation", categoryInjection, medium,
		regexp.MustCompile(`(?i)\bact\s+as\s+root\b|\bsudo\s+\S|\badministrator\s+mode\b|\btool\s+override\b`),
	},
	{
		"insecure_http_source", categorySupplyChain, high,
		regexp.MustCompile(`(?i)\b(?:curl|wget|install|download|fetch|source|repo|clone)\b[^\n]{0,80}\bhttp://(?:[^l1\s][^\s"'<>)]*|l[^o\s][^\s"'<>)]*|1[^209\s][^\s"'<>)]*)`),
	},
	{
		"shell_pipe_download", categorySupplyChain, high,
		regexp.MustCompile(`(?i)\b(?:curl|wget)\b[^\n]{0,160}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b`),
	},
	{
		"unpinned_remote_install", categorySupplyChain, high,
		regexp.MustCompile(`(?i)\b(?:pip3?|npm|pnpm|uv|pipx)\s+(?:pip\s+)?install\b[^\n]{0,80}(?:git\+|https?://)`),
	},
	{
		"floating_git_ref", categorySupplyChain, medium,
		regexp.MustCompile(`(?i)\bgithub\.com/[\w.-]+/[\w.-]+/(?:raw|archive|tree|blob)/(?:refs/heads/)?(?:main|master|head)\b`),
	},
}
