package routes

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"stoa/internal/platform/errs"
)

func walk(src io.Reader) (map[string]any, []byte, error) {
	var sink bytes.Buffer
	s := Streamed{Src: src, Name: "file", Sink: &sink}
	kept, err := s.Read()
	if err != nil {
		return nil, sink.Bytes(), err
	}
	var out map[string]any
	err = json.Unmarshal(kept, &out)
	return out, sink.Bytes(), err
}

func TestStreamedFieldsAroundTheFile(t *testing.T) {
	file := base64.StdEncoding.EncodeToString([]byte("some bytes"))
	for name, test := range map[string]struct{ body, want string }{
		"last":            {`{"a":1,"file":"` + file + `"}`, "some bytes"},
		"first":           {`{"file":"` + file + `","a":{"file":"inner","x":[1,"]"]}}`, "some bytes"},
		"empty":           {`{"file":""}`, ""},
		"null":            {`{"file":null}`, ""},
		"absent":          {`{"other":"file"}`, ""},
		"only deeper":     {`{"a":{"file":"AAAA"}}`, ""},
		"in a list":       {`{"a":["file","AAAA"]}`, ""},
		"escaped name":    {`{"f\u0069le":"` + file + `"}`, "some bytes"},
		"escaped slash":   {`{"file":"\/\/\/\/"}`, "\xff\xff\xff"},
		"escaped letters": {`{"file":"\u0041AA\u003d"}`, "\x00\x00"},
		"lines":           {`{"file":"c29t\nZSBi\r\neXRlcw=="}`, "some bytes"},
		"blanks":          {"{ \"file\" : \"c29t ZSBi eXRlcw==\" }", "some bytes"},
		"tricky texts":    {`{"a":"\\","b":"\",\"file\":\"","file":"AAAA"}`, "\x00\x00\x00"},
	} {
		for how, src := range map[string]io.Reader{"whole": strings.NewReader(test.body), "bytewise": iotest.OneByteReader(strings.NewReader(test.body))} {
			if _, got, err := walk(src); err != nil || string(got) != test.want {
				t.Errorf("%s %s: %q %v", name, how, got, err)
			}
		}
	}
}

func TestStreamedRefusals(t *testing.T) {
	for body, want := range map[string]errs.Code{
		`{"file":"AAA"}`:                                   errs.InvalidPackagePayload,
		`{"file":"AA==AA=="}`:                              errs.InvalidPackagePayload,
		`{"file":"A*AA"}`:                                  errs.InvalidPackagePayload,
		`{"file":"AA\q="}`:                                 errs.InvalidPackagePayload,
		`{"file":"\u00e9AAA"}`:                             errs.InvalidPackagePayload,
		`{"file":"\uzzzzAAA"}`:                             errs.InvalidJSON,
		`{"file":"AAAA`:                                    errs.InvalidJSON,
		`{"file":"AAAA","file":"AAAA"}`:                    errs.InvalidJSON,
		`{"a":"` + strings.Repeat("x", MaxBody+1) + `"}`:   errs.RequestBodyTooLarge,
		strings.Repeat("[", MaxBody+1):                     errs.RequestBodyTooLarge,
		`{"` + strings.Repeat("n", longestName*2) + `":"x`: errs.InvalidJSON,
	} {
		if _, _, err := walk(strings.NewReader(body)); errs.CodeOf(err) != want {
			t.Errorf("%.40s: %v, want %s", body, err, want)
		}
	}
}

func TestStreamedReadsWhatJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.SliceOfN(rapid.Byte(), 0, 300_000).Draw(t, "file")
		fields := rapid.MapOf(rapid.StringMatching(`[a-eé"\\]{1,4}`), rapid.String()).Draw(t, "fields")
		body := map[string]any{"file": file}
		for k, v := range fields {
			body[k] = v
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		out, got, err := walk(iotest.HalfReader(bytes.NewReader(text)))
		if err != nil || !bytes.Equal(got, file) {
			t.Fatalf("%d of %d bytes: %v", len(got), len(file), err)
		}
		for k, v := range fields {
			if out[k] != v {
				t.Fatalf("%q: %q, want %q", k, out[k], v)
			}
		}
	})
}

// A text of nothing but blanks is read in one pass: thirty megabytes of them would otherwise take minutes.
func TestStreamedPassesBlanksOnce(t *testing.T) {
	for _, blank := range []string{" ", "\n", "\r\n", "\t", "AAAA \n"} {
		file := strings.Repeat(blank, 4*(1<<20)/len(blank))
		_, got, err := walk(strings.NewReader(`{"file":"` + file + `AAAA"}`))
		if err != nil || len(got) != (strings.Count(file, "A")+4)/4*3 {
			t.Errorf("%q: %d bytes, %v", blank, len(got), err)
		}
	}
}

func FuzzStreamed(f *testing.F) {
	f.Add([]byte(`{"a":[{"file":"x"}],"file":"AA=="}`))
	f.Add([]byte(`{"file":"\u0041AA=","file2":1e9}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var want struct {
			File *string `json:"file"`
		}
		whole := json.Unmarshal(body, &want)
		out, got, err := walk(bytes.NewReader(body))
		if err != nil || whole != nil || out == nil || want.File == nil {
			return
		}
		plain := strings.NewReplacer("\n", "", "\r", "", " ", "", "\t", "").Replace(*want.File)
		bytesOf, err := base64.StdEncoding.DecodeString(plain)
		if _, named := out["file"]; named && (err != nil || !bytes.Equal(bytesOf, got)) && len(got) > 0 {
			t.Fatalf("%q from %q", got, body)
		}
	})
}
