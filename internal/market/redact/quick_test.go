package redact
import ("testing";"os";"encoding/json";"fmt";"strings")
func TestQuick(t *testing.T){
 b,_:=os.ReadFile("/work/shared/data/bots/cmd_config.json")
 var v map[string]any
 json.Unmarshal([]byte(strings.TrimPrefix(string(b),"\ufeff")),&v)
 e:=New()
 r,err:=e.Sections(map[string]any{"astrbot_core":v},Options{})
 if err!=nil{t.Fatal(err)}
 for _,m:=range r.Masked{fmt.Println(m.Path,m.Rule,m.Why)}
 for _,m:=range r.Kept{fmt.Println("KEPT",m.Path,m.Rule,m.Why)}
 fmt.Println(len(r.Known))
 r2,_:=e.Sections(r.Sections,Options{})
 for _,m:=range r2.Masked{fmt.Println("AGAIN",m.Path,m.Rule,m.Why)}
 for _,m:=range e.Verify(b,"x.json",r.Known){fmt.Println("V",m.Path,m.Rule)}
 out,_:=json.Marshal(r.Sections)
 fmt.Println(e.Verify(out,"x.json",r.Known))
}
