package card

import (
	"net/url"
	"strings"

	"stoa/internal/market/redact/detect"
)

// Server is an MCP server that a pack names: a command to start, or an address.
type Server struct {
	Name      string
	Transport string // stdio, http or sse
	Command   string
	Args      []string
	URL       string
	Env       []Variable // of a command
	Headers   []Variable // of an address
}

// Variable is a setting that a server wants. Value is "" for one that whoever installs has to give.
type Variable struct{ Name, Value string }

func (c *Card) servers(section map[string]any) {
	taken := map[string]bool{}
	for _, id := range sorted(section) {
		row := object(section[id])
		s := Server{Command: text(row["command"]), Args: texts(row["args"]), URL: first(row, "url", "serverUrl")}
		s.Name = SkillName(id)
		if s.Name == "" {
			s.Name = "server"
		}
		s.Env, s.Headers = variables(row["env"]), variables(row["headers"])
		switch kind := first(row, "transport", "type"); {
		case s.Command != "":
			s.Transport, s.URL, s.Headers = "stdio", "", nil
		case s.URL == "":
			c.lose("mcp_servers."+id, "it names neither a command nor an address")
			continue
		case !webAddress(s.URL):
			c.lose("mcp_servers."+id, "its address is not one of the web")
			continue
		case strings.EqualFold(kind, "sse"):
			s.Transport, s.Env = "sse", nil
		default:
			s.Transport, s.Env = "http", nil
		}
		for i, arg := range s.Args {
			if strings.Contains(arg, detect.Masked) {
				s.Args[i] = strings.ReplaceAll(arg, detect.Masked, "${"+variableName(s.Name)+"_SECRET}")
				c.lose("mcp_servers."+id, "a secret in its arguments was masked; a variable stands in its place")
			}
		}
		s.Name = free(taken, s.Name)
		c.Servers = append(c.Servers, s)
	}
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.Contains(s, detect.Masked)
}

// variables reads settings by name. A masked value is one to be given.
func variables(v any) []Variable {
	m := object(v)
	var out []Variable
	for _, name := range sorted(m) {
		value := text(m[name])
		if strings.Contains(value, detect.Masked) {
			value = ""
		}
		if plain := line(name, 200); plain != "" {
			out = append(out, Variable{plain, value})
		}
	}
	return out
}

// variableName makes the name of an environment variable.
func variableName(s string) string {
	return strings.ToUpper(strings.ReplaceAll(SkillName(s), "-", "_"))
}

// Reference is how a configuration names a setting that is to be given.
func (v Variable) Reference() string { return "${" + variableName(v.Name) + "}" }
