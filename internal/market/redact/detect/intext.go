package detect

import "strings"

// credentialInText is stricter than the rule for fields: in a text a word behind "password:" may be anything.
func (s *scanning) credentialInText(v Verdict, value string, how tie, quoted bool, end int, name string) bool {
	if how == tieForm {
		return formCredential(v, value)
	}
	if len(value) < 4 || strings.Contains(value, "://") || pathLike(value) || codeLike(value, quoted) || !quoted && callFollows(s.text[end:]) {
		return false
	}
	if !quoted && (value == name || strings.HasSuffix(value, "_"+name)) { // client_secret = client_secret
		return false
	}
	symbols := strings.ContainsAny(value, "!@#$%^&*+=~?")
	switch v {
	case Certain:
		switch {
		case strings.ContainsAny(value, " \t") && !hasRandomWord(value) && s.title(value):
			return false
		case strings.ContainsAny(value, " \t"):
			return how == tieQuote && (hasRandomWord(value) || MnemonicLike(value) || strings.Count(value, " ") <= 4 && fieldQuoted(s.text, end) || strings.Contains(value, "="))
		case how == tieWord:
			return len(value) >= 5 && (Mixed(value) || symbols && len(value) >= 8)
		case Mixed(value) || symbols && len(value) >= 6:
			return true
		case strings.Trim(value, "0123456789") == "":
			return len(value) >= 4
		}
		return len(value) >= 6 && !tableWords[strings.ToLower(value)] && (fieldQuoted(s.text, end) || s.lineEnds(end) && (strings.ContainsAny(name, "_") || how == tieSign && s.leads(name, end))) && !strings.HasPrefix(strings.ToLower(value), "your")
	case Likely:
		switch {
		case quoted && len(value) >= 6 && fieldQuoted(s.text, end) && how == tieQuote && strings.Trim(value, Lowers+"-") == "" && !tableWords[value]:
			return strings.IndexByte("{,\n", lastSign(s.text, end-len(value))) >= 0
		case Prose(value) || strings.ContainsAny(value, " \t"):
			return hasRandomWord(value) && how == tieQuote
		case how == tieWord:
			return len(value) >= 8 && (RandomPart(value) || Mixed(value) && symbols)
		case len(value) >= 8 && strings.Trim(value, Digits) == "":
			return len(Words(name)) > 1
		}
		return len(value) >= 6 && (Mixed(value) && (len(value) >= 8 || quoted) && !version(value) || RandomPart(value))
	case Weak:
		return CredentialLike(value) && how != tieNone
	case Account:
		return HasDigit(value) && len(value) >= 5 && !strings.ContainsAny(value, " /") && how != tieWord
	}
	return false
}

// title reports whether a text of several words speaks of a credential, as the label of a field does: "API token of Omnivore".
func (s *scanning) title(value string) bool {
	for w := range strings.FieldsSeq(value) {
		w = strings.Trim(w, ".,:;!?()")
		if v := s.e.Names.Of(w); strings.EqualFold(w, "api") || v == Certain || v == Likely {
			return true
		}
	}
	return false
}

// fieldQuoted says whether the value that ends here is the quoted value of a field, as in JSON, rather than of code.
func fieldQuoted(text string, end int) bool {
	i := skipUpTo(text, end, "\\\"'", 2)
	if i == end {
		return false
	}
	i = skip(text, i, " \t")
	return i >= len(text) || strings.IndexByte(",}]\r\n\\", text[i]) >= 0
}

// leads reports whether a line that ends at end begins with a name: "password: sunshine" as a line of its own.
func (s *scanning) leads(name string, end int) bool {
	near := s.text[max(0, end-160):end]
	line := near[strings.LastIndexByte(near, '\n')+1:]
	words := strings.TrimLeft(line, " \t-*>\"'`") // not its indentation
	return len(line) < 160 && strings.HasPrefix(words, name) && len(strings.Fields(words)) <= 4+strings.Count(name, " ")
}

func (s *scanning) lineEnds(end int) bool {
	return end >= len(s.text) || s.text[end] == '\n' || s.text[end] == '\r'
}

// codeLike is an expression instead of a value: os.environ, getToken(), request.headers["x"], args[0].
func codeLike(value string, quoted bool) bool {
	if quoted {
		return false
	}
	if strings.ContainsAny(value, "([{") {
		return true
	}
	dots := strings.Count(value, ".")
	return dots > 0 && dots <= 4 && !HasDigit(value) && strings.Trim(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz_.") == ""
}

func callFollows(rest string) bool {
	return rest != "" && (rest[0] == '(' || rest[0] == '[' || rest[0] == '{')
}

// version is a value such as 1.2.3, v2 or gpt-4: digits, but no credential.
func version(value string) bool {
	return len(value) < 12 && !RandomPart(value) && strings.ContainsAny(value, ".-")
}
