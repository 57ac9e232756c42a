package detect

import (
	"fmt"
	"strings"
	"testing"
)

// What names say, by verdict.
var saidByNames = map[Verdict]string{
	Certain: `password,PASSWORD,dbPassword,passWord,passPhrase,user_password_old,api_key,apiKey2,X-Api-Key,APIKeys,apikeys,bottoken,rootpw,userpwd,access_token_list,openai_api_key,myprivkey,x_cookie,key_data,密码,用户密码,API密钥,hasło,пароль,パスワード,
seed_phrase,authKey,dbpw,sshkey,passwordValue2,api_key_backup_prod,old_password_new,corpsecret,userpass,clé_api,password_текст`,
	Likely:  `secret,secrets,token,TOKEN,creds,secret_value,xtoken,令牌,シークレット,custom_headers,smtp_pass,oauthcreds,アクセストークン,token_новый`,
	Weak:    `key,Key,keys,auth,session_id,my_key,salt,llmkey,ключ,key值,openai_key,storage_key,foo_tokens`,
	Account: `appid,app_id,corpId,AppID`,
	Link:    `webhook,webhook_url,slackWebhookUrl`,
	Source:  `dsn,database_url,http_proxy,DATABASE_URL`,
	Never: `max_tokens,maxTokens,token_limit,tokenizer,public_key,publicKey,primary_key,sort_key,cacheKey,hotkeys,stop_token,next_token,page_token,csrf_token_x_stop_token,password_hint,password_length,token_count,secret_name,num_keys,is_password,min_secret,has_token,
api_key_env,token_url,key_bindings,キーワード,密码提示,公钥,トークン数,not_secret,random_seed,key_type,design_tokens,enable_key,primary_key_value,sortKeys,model_key_2`,
	Plain: `name,id,model,,123,bypass,compass,softkey,rekey,count,type,花园,_,limit,n,enabled,tpw,pw_x2q,the_text,値,password` + strings.Repeat("x", 121),
}

func TestWhatNamesSay(t *testing.T) {
	var n names
	for want, list := range saidByNames {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.TrimSpace(name)
			for range 2 { // judged, and remembered
				if got := n.Of(name); got != want {
					t.Errorf("%q says %d, not %d", name, got, want)
				}
			}
		}
	}
	if got := n.Of(strings.Repeat("x", 119) + "_password"); got != Certain {
		t.Errorf("the longest name says %d", got)
	}
	if got := n.Of(strings.Repeat("x", 120) + "_password"); got != Plain {
		t.Errorf("a text says %d", got)
	}
	for v, want := range map[Verdict]bool{Plain: false, Never: false, Weak: true, Likely: true, Certain: true, Account: true, Link: false, Source: false} {
		if v.Masks() != want {
			t.Errorf("%d masks: %v", v, !want)
		}
	}
}

// Names that are not repeated do not fill the memory.
func TestNamesAreForgotten(t *testing.T) {
	var n names
	for i := range 3*maxNames + 10 {
		n.Of(fmt.Sprint("name", i))
		if len(n.seen) > maxNames {
			t.Fatalf("%d names are remembered", len(n.seen))
		}
	}
	if len(n.seen) != 10 {
		t.Errorf("%d names are remembered after the third time", len(n.seen))
	}
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"X-Api-Key2": "x api key", "xApiKey": "x api key", "X_API_KEY": "x api key", "APIKey": "api key", "APIKeys": "api keys", "URLs": "urls", "myURLs": "my urls", "HTTPServer": "http server", "": "", "12": "", "éÀb": "é àb", "aB": "a b", "AB": "ab", "ABc": "a bc", "ABs": "abs",
		"passWord1x": "pass word x", "密码key": "密码key", "IDsX": "i ds x",
	} {
		if got := strings.Join(Words(name), " "); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"key值": "key_", "值": "值", "key": "key", "_值-": "_值-"} {
		if got := asciiPart(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
