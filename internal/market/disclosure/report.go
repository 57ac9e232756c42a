package disclosure

import "stoa/internal/market/redact"

// Report is what leaves the machine.
type Report struct {
	Sections     []Section    `json:"sections"`
	Masked       Marks        `json:"masked"`
	Dropped      Marks        `json:"dropped"`
	Kept         Marks        `json:"kept"`
	Hosts        []Host       `json:"hosts"`
	Capabilities []Capability `json:"capabilities"`
	// Claimed by the manifest and used by nothing; used and not claimed.
	ClaimedNotFound []string `json:"claimed_not_found"`
	FoundNotClaimed []string `json:"found_not_claimed"`
	Environment     []Named  `json:"environment"` // variables that the setup wants to be given
	Models          []Named  `json:"models"`
	Plugins         []Plugin `json:"plugins"`
	Totals          Totals   `json:"totals"`
	Truncated       bool     `json:"truncated"` // some list holds less than there was; its count is exact
}

// Section is one section of a pack or one file of a package.
type Section struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`  // bytes of canonical JSON, or of the file
	Items  int    `json:"items"` // keys or elements at the top; lines of a text
	SHA256 string `json:"sha256"`
}

// Marks are places and why, the first of them; Count is how many there are.
type Marks struct {
	Count  int           `json:"count"`
	Listed []redact.Mark `json:"listed"`
}

// Host is a name or an address in the bytes.
type Host struct {
	Host    string   `json:"host"`              // in ASCII, punycode for international names
	Unicode string   `json:"unicode,omitempty"` // how an international name is shown
	Private bool     `json:"private"`           // this machine or its local network
	Use     string   `json:"use"`               // contacted: settings or commands name it; mentioned: a text does
	Places  []string `json:"places"`
	Count   int      `json:"count"`
}

// The two uses of a host.
const (
	Contacted = "contacted"
	Mentioned = "mentioned"
)

// Capability is something that the setup can do once it is installed, in the names of the contract.
type Capability struct {
	Name   string   `json:"name"`
	Places []string `json:"places"`
	Count  int      `json:"count"`
}

// Named is a name and where it stands.
type Named struct {
	Name   string   `json:"name"`
	Places []string `json:"places"`
	Count  int      `json:"count"`
}

// Plugin is code that is installed with the setup.
type Plugin struct {
	ID         string `json:"id"`
	Version    string `json:"version"`
	Source     string `json:"source"`
	InstallCmd string `json:"install_cmd,omitempty"`
	Path       string `json:"path"`
}

// Totals are exact, also where lists are cut.
type Totals struct {
	Sections    int   `json:"sections"`
	Bytes       int64 `json:"bytes"`
	Items       int   `json:"items"`
	Masked      int   `json:"masked"`
	Dropped     int   `json:"dropped"`
	Kept        int   `json:"kept"`
	Hosts       int   `json:"hosts"`
	Environment int   `json:"environment"`
	Models      int   `json:"models"`
	Plugins     int   `json:"plugins"`
}

// The capabilities of the contract.
const (
	NetworkOutbound        = "network.outbound"
	FileRead               = "file.read"
	FileWrite              = "file.write"
	CommandExec            = "command.exec"
	ProviderAccess         = "provider.access"
	MCPInvoke              = "mcp.invoke"
	MemoryExport           = "memory.export"
	ConversationExport     = "conversation.export"
	KnowledgeExport        = "knowledge.export"
	EnvironmentReconfigure = "environment.reconfigure"
)

// How much is listed.
const (
	maxMarks  = 500
	maxListed = 500 // hosts, variables, models, plugins, sections
	maxPlaces = 20
	maxNames  = 20_000 // different names of one sort that are told apart; more are counted together
	maxText   = 240
)
