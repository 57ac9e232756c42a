package httpapi

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"
	"regexp"

	"stoa/internal/app/core"
	"stoa/internal/platform/clientdoc"
)

// consentTexts are the words of the pages that an assistant's sign-in shows.
type consentTexts struct {
	Lang, Title, Asks, As, Unchecked, Read, Write, Where, Once, Allow, Deny, SignIn, SignInFirst, Continue, Problem, ProblemText, Home string
}

var consentWords = map[string]consentTexts{
	"en": {
		Lang: "en", Title: "Allow access?", Asks: "wants to use your Stoa account.", As: "You are signed in as", Unchecked: "This name is what the program calls itself. Nobody has checked it. Allow it only if you have just started signing in from that program yourself.", Read: "Read: your installed items, your notes and what you are learning",
		Write: "Write: record your answers when you study", Where: "You will be sent back to", Once: "You can take this back at any time under API tokens in your account.",
		Allow: "Allow", Deny: "Cancel", SignIn: "Sign in", SignInFirst: "Sign in to Stoa first, then come back to this page.", Continue: "I am signed in: continue",
		Problem: "This request cannot be carried out", ProblemText: "The program that sent you here is not known by its address, or asked for something else than it says of itself. Nothing was allowed.", Home: "To the start page",
	},
	"zh": {
		Lang: "zh-CN", Title: "允许访问吗？", Asks: "想要使用你的 Stoa 账号。", As: "当前登录账号：", Unchecked: "此名称由程序自行提供，未经核实。只有当你本人刚刚在该程序中发起登录时，才可以允许。", Read: "读取：你已安装的内容、你的笔记和学习进度",
		Write: "写入：学习时记录你的回答", Where: "之后将返回", Once: "你可以随时在账号的 API 令牌中撤销。",
		Allow: "允许", Deny: "取消", SignIn: "登录", SignInFirst: "请先登录 Stoa，然后回到本页面。", Continue: "我已登录，继续",
		Problem: "无法处理此请求", ProblemText: "无法确认发起请求的程序，或其请求与自身声明不符。没有授予任何权限。", Home: "返回首页",
	},
	"ja": {
		Lang: "ja", Title: "アクセスを許可しますか？", Asks: "が Stoa アカウントの利用を求めています。", As: "ログイン中のアカウント：", Unchecked: "この名前はプログラムの自己申告であり、確認されていません。そのプログラムからのログインをご自身で始めた場合にだけ許可してください。", Read: "読み取り：インストール済みの項目、ノート、学習状況",
		Write: "書き込み：学習時の解答の記録", Where: "許可後の移動先：", Once: "許可はアカウントの API トークンからいつでも取り消せます。",
		Allow: "許可する", Deny: "キャンセル", SignIn: "ログイン", SignInFirst: "先に Stoa にログインしてから、このページに戻ってください。", Continue: "ログイン済みなので続ける",
		Problem: "このリクエストは処理できません", ProblemText: "リクエスト元のプログラムを確認できないか、申告と異なる内容が要求されました。何も許可されていません。", Home: "トップページへ",
	},
}

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="{{.T.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{{.Heading}} · Stoa</title>{{.Look}}</head><body><main class="assistant-asks stack">
<p class="product">{{with .Mark}}<img src="{{.}}" alt="" width="32" height="32">{{end}}Stoa</p>
<section class="panel stack"><h1>{{.Heading}}</h1>
{{if .Name}}<p><strong>{{.Name}}</strong> {{.T.Asks}}{{if .Client}}<br><code>{{.Client}}</code>{{end}}</p>
<p class="soft">{{.T.As}} <strong>{{.User}}</strong></p>
{{if not .Client}}<p class="note warn">{{.T.Unchecked}}</p>{{end}}
<ul><li>{{.T.Read}}</li>{{if .Write}}<li><strong>{{.T.Write}}</strong></li>{{end}}</ul>
<p>{{.T.Where}} <code>{{.Back}}</code></p><p class="soft">{{.T.Once}}</p>
<form class="row" method="post" action="` + authorizePath + `">{{range $name, $v := .Fields}}<input type="hidden" name="{{$name}}" value="{{index $v 0}}">{{end}}
<button class="button primary" name="decision" value="allow">{{.T.Allow}}</button><button class="button" name="decision" value="deny">{{.T.Deny}}</button></form>
{{else}}<p>{{.Text}}</p>{{if .Again}}<p class="row"><a class="button primary" href="/member" target="_blank" rel="noopener">{{.T.SignIn}}</a><a class="button" href="{{.Again}}">{{.T.Continue}}</a></p>
{{else}}<p class="row"><a class="button" href="/">{{.T.Home}}</a></p>{{end}}{{end}}
</section></main></body></html>
`))

const consentPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'"

// look is what the built pages have in their heads for the eye, for a page that is written here and has no scripts.
type look struct {
	Look template.HTML
	Mark string // address of the product's sign; empty when the pages were not built
}

var (
	sheets = regexp.MustCompile(`<link rel="(?:stylesheet|icon|preload)"[^>]*>`)
	mark   = regexp.MustCompile(`<link rel="icon" type="image/svg\+xml" href="([^"]+)"`)
)

func lookOf(p *page) (l look) {
	for _, link := range sheets.FindAll(p.body, -1) {
		l.Look += template.HTML(link) // of our own build
	}
	if found := mark.FindSubmatch(p.body); found != nil {
		l.Mark = string(found[1])
	}
	return l
}

type consentView struct {
	look
	T                                consentTexts
	Heading, Text, Again             string
	User, Name, Client, Back, Origin string
	Write                            bool
	Fields                           url.Values
}

func wordsFor(req *http.Request) consentTexts {
	return consentWords[pageLocale(req)[:2]]
}

func (s *Server) showConsent(w *recorder, req *http.Request, asked wish) {
	t := wordsFor(req)
	view := consentView{T: t, Heading: t.Title, User: w.userID, Name: asked.ClientName, Client: asked.ClientID, Write: asked.Scope == core.ScopeWrite, Fields: asked.query}
	if clientdoc.IsRegistered(asked.ClientID) {
		view.Client = ""
	}
	if u, err := url.Parse(asked.RedirectURI); err == nil {
		view.Back, view.Origin = u.Scheme+"://"+u.Host, u.Scheme+"://"+u.Host
		if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			view.Back, view.Origin = u.Scheme+":", u.Scheme+":"
		}
	}
	s.showPage(w, http.StatusOK, view)
}

func (s *Server) showSignIn(w *recorder, req *http.Request, q url.Values) {
	t := wordsFor(req)
	s.showPage(w, http.StatusUnauthorized, consentView{T: t, Heading: t.SignIn, Text: t.SignInFirst, Again: authorizePath + "?" + q.Encode()})
}

func (s *Server) showProblem(w *recorder, req *http.Request, status int) {
	t := wordsFor(req)
	s.showPage(w, status, consentView{T: t, Heading: t.Problem, Text: t.ProblemText})
}

// showPage writes a page without scripts. Browsers follow a form's redirect only to where its policy says, so that the
// assistant's own address stands there.
func (s *Server) showPage(w *recorder, status int, view consentView) {
	view.look = s.look
	var page bytes.Buffer
	if err := consentPage.Execute(&page, view); err != nil {
		panic(err) // our own template
	}
	h := w.Header()
	policy := consentPolicy
	if view.Origin != "" {
		policy += " " + view.Origin
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin") // without one, browsers say of a form's origin that it is null
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Language, Cookie")
	writeBody(w, status, "text/html; charset=utf-8", page.Bytes())
}
