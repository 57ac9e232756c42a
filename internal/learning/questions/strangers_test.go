package questions

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/units"
)

// unitWithHeadings makes a unit of a note whose sections are atoms of their own.
func unitWithHeadings(title, text string) *units.Unit {
	r := buildUnits(title, text)
	if len(r.Units) == 0 {
		return &units.Unit{}
	}
	return &r.Units[0]
}

// buildUnits makes the units of a note.
func buildUnits(title, text string) units.Result {
	doc := notes.Parse(notes.Source{Path: title + ".md", Content: text})
	n := units.Note{ID: title, Path: title + ".md", Title: title}
	for i := range doc.Atoms {
		if a := &doc.Atoms[i]; a.Representation == notes.Text {
			n.Atoms = append(n.Atoms, units.Atom{ID: a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
		}
	}
	return units.Build([]*units.Prepared{units.Prepare(n)}, nil)
}

// unitOf makes a unit of a text with or without headings.
func unitOf(title, text string) *units.Unit {
	if strings.Contains("\n"+text, "\n#") {
		return unitWithHeadings(title, text)
	}
	return unitFrom(title, text)
}

// What notes of strangers showed: what must not be asked, and what must.

func TestNotAsked(t *testing.T) {
	for _, c := range []struct{ title, text, never string }{
		{"Fotosynthese", "- Ort: Stroma der Chloroplasten\n- Phasen: Fixierung, Reduktion, Regeneration\n- Das Schlüsselenzym heißt RuBisCO und ist häufig\n", "Welcher Begriff"},
		{"Konjunktiv", "- höfliche Bitte: *Könnten Sie mir bitte helfen?*\n- irreale Bedingung: *Wenn ich Zeit hätte, käme ich.*\n- Wunsch: *Wäre ich doch zu Hause geblieben!*\n", "höfliche Bitte"},
		{"Autovalori", "**TEO** Gli autovalori di una matrice sono le radici del suo polinomio caratteristico nel campo.", "____ Gli"},
		{"Rivoluzione", "- **5 maggio 1789**: apertura degli Stati Generali a Versailles\n- **14 luglio 1789**: presa della Bastiglia da parte del popolo\n- **21 gennaio 1793**: esecuzione di Luigi XVI a Parigi\n", "Quale termine"},
		{"Imperative", "- Constant: may one lie to the murderer at the door?\n- Hegel: the law is nothing but an empty formalism of duty\n- Mill: Kant smuggles the consequences back into the law\n", "“Constant”"},
		{"Habits", "**Habituation** is an issue that can happen all the time with security alerts.", "____ is an issue"},
		{"Tests", "The level is usually set to five in a hundred, a habit that goes back to Ronald Fisher (1925).", "(____)"},
		{"Nephron", "- Collecting duct: ADH inserts aquaporin, aldosterone acts on principal cells\n- Proximal tubule: reabsorbs most of the sodium and water, and all glucose\n- Distal tubule: is where the thiazides act on the transporter\n", "What is meant by “Collecting duct”"},
		{"死锁", "- 预防：破坏四个必要条件之一，例如循环等待条件\n- 避免：**银行家算法**，分配前检查系统是否处于安全状态\n- 检测：用资源分配图化简的办法找出死锁\n", "下面说的是哪个术语？“银行家算法"},
		{"Netze", "| Schicht | Name | Beispiel |\n|---|---|---|\n| 7 | Anwendung | HTTP |\n| 4 | Transport | TCP |\n| 3 | Vermittlung | IP |\n", "Beispiel: ____"},
		{"Hearts", "- **Function**: pumps the blood through the whole body\n- **Function**: gives off a hormone that lowers the pressure\n- **Wall**: three layers of tissue, the middle one of muscle\n", "Function"},
		{"Organs", "- **Function**: keeps the balance of water and salts\n- **Nephron**: the smallest unit that filters the blood\n", "“keeps the balance"},
		{"免疫", "- **抗体中和**：抗体中和后的毒素不能再进入细胞内部，因此失去作用。\n- **巨噬细胞**：吞噬进入组织的病原体，并把它的碎片呈递给别的细胞。\n", "“抗体中和后"},
		{"Bytes", "For example the word lies in memory. E.g., the byte `0x2F` stands before the byte `0x30` in the memory of it.", "____"},
		{"Sums", "Let us look at `1024` bytes of memory that hold the numbers of a table in a row.", "____"},
		{"Gruppi", "Uno **spazio vettoriale** (vedi **DEF 3**) ha una somma e un prodotto per scalari del campo.", "vedi ____"},
		{"Körper", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint.", "„Mit "},
		{"環", "**逆元** は各元について次の等式を満たす元のことで、\n\n$$\na a^{-1} = 1\n$$\n", "____"},
		{"環", "単位元がないものも環と呼ぶことがある。そうでないとき **非単位的** な環と呼ぶ。", "非単位的"},
		{"Verbs", "| o | amos |\n|---|---|\n| as | áis |\n| o | an |\n| e | en |\n", "____"},
		{"Reading", "The steps of the process:\n\n1. **Fetch**: the word is read from the memory of the machine\n2. **Decode**: the parts of the word are told from each other\n3. **Run**: the operation is carried out by the unit\n", "Which term"},
		{"二叉树", "二叉树可能不是计算机世界中最基本的数据结构，但是将它誉为计算机应用中的基石。", "可能不"},
		{"TCP", "- 一个TCP连接需要四个元组来表示是同一个连接，准确说是五元组，还有一个是协议。\n- 包的序号用来解决网络包乱序的问题，窗口用来控制流量。", "来表示"},
		{"オートマトン", "オートマトンのうち、**初期状態**からいくつかの状態を遷移して**受理状態**で終了するものを**有限オートマトン**という。", "「初期状態」"},
		{"Database", "Databaseとはいかなる道具かを知るきっかけを与える場としてこの資料をまとめます。データベースは組織的な集まりです。", "「Database」"},
		{"Incapsulamento", "Il **processo che nasconde i dettagli** prende il nome di **incapsulamento**, che permette di usare una classe.", "Il ____"},
		{"Scheduling", "The method it uses is called the **scheduling algorithm**.", "scheduling algorithm"},
		{"Botanik", "Dozent: [[@Mayr]]\nThema: [[Grundlagen der Botanik]]\nDatei: [PDF-Datei](zotero://a)\n\nZellen haben eine Membran, die den Inhalt umschließt.", "Thema"},
		{"Zettel", "- [Schmidt] [@schmidt_2013]: \"Das Prinzip besagt, dass jeder Zettel eine Einheit beinhalten sollte.\"\n- [Ahrens] [@ahrens_2017]: \"Ein Zettel enthält nur einen Gedanken, diesen aber vollständig.\"\n", "schmidt"},
		{"Drugs", "## A\n\n- Starting dose: 12.5 mg once a day by mouth\n- Highest dose: 200 mg once a day by mouth\n- Steps: double every two weeks\n\n## B\n\n- Starting dose: 1.25 mg once a day by mouth\n- Highest dose: 10 mg once a day by mouth\n- Steps: double every four weeks\n", "Drugs\n"},
		{"Sistema", "- **Convenienza** nell'uso del calcolatore rispetto ai potenziali utenti della macchina;\n- **Efficienza** nell'utilizzo del calcolatore e delle sue parti costitutive principali;\n", "____"},
		{"TCP", "The **TCP** is one of the most widely used protocols in the networks of today.", "“TCP”"},
		{"Isolation", "Some levels allow what others forbid.\n\n**weird stuff**\nrepeatable read prevents write skew when locks are used\ndirty reads are impossible on that server\n", "weird stuff"},
		{"経済", "以上の「弾力性」とは、価格が一つ変わるときに需要がどれだけ変わるかを表す値である。", "以上"},
		{"商品", "以上“弹性”是指需求和收入之间的弹性。", "以上"},
		{"進程", "進程是由程序、數據和進程控制塊三個部分組成。", "“進程”"},
		{"Debito", "- *pressione per rispettare una scadenza:* provoca debito sia strategico che ingenuo nel progetto\n- *tentativo di ridurre il tempo:* al team viene detto di lavorare più in fretta del solito\n", "pressione"},
		{"Debito", "Con questo termine ci riferiamo agli aspetti del codice, come ad esempio:\n\n- difetti\n- doppioni\n- test mancanti\n", "questo termine"},
		{"Debito", "Il debito cresce da solo. Ci sono numerosi punti:\n\n- scadenza\n- velocità\n- abitudine\n", "numerosi punti"},
		{"膜", "- cytosol 細胞質ゾルのことを指す言葉\n- lumen 内腔で細胞小器官のさらに内側の空間\n- organelle 細胞小器官\n", "「膜」とは"},
		{"Test", "- **Test List:** the tests that are still to be written\n- **Realistic Data:** both have their worth in a test\n- ***Mock objects:*** imitate what is costly in a test\n", "both have"},
		{"科技", "## 战国\n\n| 名称 | 内容 |\n|---|---|\n| 天文 | 《甘石星经》是最早的天文专著，《春秋》记载哈雷彗星 |\n| 司南 | 用磁石做成的最早的指南器具，出现在春秋时期 |\n\n## 秦汉\n\n| 名称 | 内容 |\n|---|---|\n| 天文 | 张衡（东汉）：发明水运浑天仪与地动仪、解释月食成因 |\n| 造纸术 | 东汉蔡伦改进的造纸的方法，用树皮和破布做原料 |\n", "张衡（东汉）"},
		{"異常", "- 挿入時異常: 先の例で売上がない商品を登録することができないという異常\n- 削除時異常: 表の行を消すと他の情報も一緒に失われてしまうという異常\n", "挿入時異常"},
		{"Locks", "An analogy for all of it: a lock is like a door that only one person can open:\n\n- prevention: there is no door in the whole of the house\n- avoidance: nobody goes near a door that is shut\n", "prevention"},
		{"Micro Economics", "Microeconomics is the study of individual decisions in an economy.", "____"},
		{"Zettelkasten-Theorie", "# Zettelkasten-Theorie\n\nEin **Zettelkasten** ist ein System, das auf vernetzten Notizen basiert.\n", "____"},
		{"Legame", "La teoria di **G.N. Lewis** descrive il legame chimico e si concentra sugli **elettroni di valenza** degli atomi.", "\nLewis"},
		{"ml", "* 非正式定义：在不直接针对问题编程的情况下，赋予计算机学习能力的研究领域。\n* 正式定义：如果在经验的影响下对任务的测量结果得到了改进，就说程序学习了。", "正式定义”"},
		{"Prisms", "A prism bends light.\n\n## Applications\n\n- **Field glasses**: prisms turn the picture round so that it stands upright.\n- **Spectrographs**: prisms part the colours of the light of a star.\n", "“Field glasses”"},
		{"Lenses", "## Thin\n\n- **Principle**: bends the light once, as if at one plane.\n- **Use**: reading glasses and magnifiers of every kind.\n\n## Thick\n\n- **Principle**: bends the light at both of its faces.\n- **Use**: objectives of cameras and of telescopes.\n", "meant by “Principle”"},
		{"训练", "- **先加参数，后加数据**：这样做的收益比反过来要大得多。\n- **学习率**：每一步更新参数时所走的步长大小。\n", "先加参数"},
		{"Shell", "```bash\necho start   # say hello\n```\n", "say hello"},
		{"Wohnen", "Die Gründe der Leute sind vielfältig:\n\n- \"Es ist ruhig\"\n- \"Es ist billig\"\n- \"Es ist nah\"\n", "Die Gründe der Leute"},
		{"Key Exchange", "**Formula**\nParty A has a private number that it tells nobody.\n\n**Nonce**\nA number that is used once and never again.\n", "Formula"},
		{"Basi di dati", "Se cambia la struttura del livello fisico, le viste degli altri livelli __potrebbero__ cambiare con essa.\n\nLa sua radice prende il nome di __scarto quadratico__ nella statistica di base.", "____"},
		{"Bound sequences", "Bound sequences are a calculus thing, but we only meet them over the numbers here.", "“Bound sequences”"},
		{"Small groups", "A group $G$ is small if it has fewer elements than every group of its kind.", "“group”"},
		{"Sets", "Closed sets are an important idea in topology, a branch of geometry.", "“Closed sets”"},
		{"Verfassung", "## Senat\n\nDer Senat ist das stärkste Organ (kann Gesetze verhindern)\n", "„Senat“"},
		{"Cache", "La **memoria piccola** è la più veloce ma costa molto per ogni byte che contiene", "Che cosa si intende"},
		{"Verben", "## 词源\n\n- **grok**：出自一部小说，二十世纪中叶由作家造出来的新词\n- **meme**：由希腊语的一个词缩短而来，后来才用于网络\n", "什么是“grok”"},
		{"矩阵", "## 生动的例子\n\n- **理想情况**：两列完全相同，所以秩等于一，画出来是直线\n- **现实情况**：两列只差一点点，所以秩等于二，数学家不让步\n", "现实情况"},
		{"分解", "| 视角 | 描述 |\n|---|---|\n| 压缩视角 | 把七百个奇异值的图片砍到只剩前七十个，看上去依然清晰 |\n| 统计视角 | 对七百维的数据做降维，只保留前七十个主要成分 |\n", "哪个术语"},
		{"Worms", "> [!definition] Exam definition\n> The **whipworm** is a worm of the large intestine that is taken up with unwashed food.\n", "Exam definition"},
		{"Räume", "> [!definition] Definition. 2.4  Kompakter Raum\n> Ein Raum, in dem jede offene Überdeckung eine endliche Teilüberdeckung hat.\n", "Definition. 2.4"},
		{"Parasites", "- **Habitat:** lives in the lumen of the small intestine of its host.\n- **Prevention:** washing of hands and of food, safe water, health education.\n- Two hosts\n", "meant by “Habitat”"},
		{"位相", "集合と族がある。このとき、次の条件をすべて満たす族をその集合の **位相** という。", "「位相」とは"},
		{"Providers", "Networks come in levels by the place that they have:\n\n- Level 1 networks: the backbone of all of it\n- Level 2 networks: regional ones\n- Level 3 networks: the last mile\n", "name all"},
		{"Learning", "- **Reinforcement:** Imagine that you teach a dog to jump over a fence for a bone.\n- **Supervision:** a teacher says what the right answer to every example is.\n", "“Reinforcement”"},
		{"Asepsis", "The practices that **prevent the entry** of microorganisms into the wound are called by one name.", "____ of micro"},
		{"Oven", "- Close the tap and maintain the **holding time: 15 minutes** for every load of it.", "____"},
		{"Signals", "- Could have also directed `kill` to send the signal with the number seventeen directly\n", "____"},
		{"Parser", "Il compito del parser è dare una struttura alle parole che il lessico ha riconosciuto.", "compito"},
		{"Verfassung", "- Instabile Mehrheiten: Das Wahlrecht führte zu vielen Parteien, und Regierungen waren schwer zu bilden.\n- Geringe Akzeptanz: Viele Bürger standen der Ordnung ablehnend gegenüber, auch die Eliten.\n", "Welcher Begriff"},
		{"Trap", "La gestione prevede:\n\n1. **Sospensione** : Il programma dell'utente viene fermato\n2. **Risoluzione** : Il gestore sistema il problema e riprende\n", "Quale termine"},
		{"加载", "加载类时，**优先**让上级加载器去加载这个类，找不到才轮到自己。", "____"},
		{"Cost", "- Total cost (C): the money that all the goods of a week need\n    - Is found with the sheet of the last week\n- Mostly an estimate\n    - Changes with the season and with the place of the shop\n", "Total cost?"},
		{"Codici", "Il **cifrario a scorrimento** è la cifratura più nota perché semplice da capire e da fare a mano.", "si intende"},
		{"Warming", "Natural causes of warming:\n\n- CALLED FORCINGS\n- The balance is not static\n- Changes of the orbit\n- Activity of the sun\n", "name all"},
		{"Valves", "| - | - | Remark |\n|---|---|---|\n| A | healthy | none at all |\n| B | narrow | pressed |\n| C | leaky | flows back |\n", "-: ____"},
		{"Postfächer", "- Nachrichten\n    - Senden und Empfangen von kurzen Texten an andere Leute im Haus\n- Fotos\n    - Speichern und Teilen von Bildern auf einem fremden Rechner im Netz\n", "Which"},
		{"シェル", "## 例題\n\n- コマンド例: ファイルの一覧を新しい順に並べて画面に出す\n- タスク: 古い記録をまとめて別の場所へ移しておくこと\n", "コマンド例"},
		{"Ada King", "## Effects\n\n- **Recovery**: Started the work on the engine again with money of her own and of friends.\n- **Memory**: Seen as one of the first who wrote for a machine, long before there was any.\n", "Which term"},
		{"Diritto", "- **Limiti**: Può essere tolta solo da un giudice quando la persona mette in pericolo i propri beni.\n- **Usufrutto**: diritto di godere della cosa altrui con il dovere di restituirla intatta\n", "«Può essere"},
		{"Speech", "- sound first: people have spoken from the beginning, some fifty thousand years ago\n- phoneme: unit of sound that tells one word from another\n", "people have spoken"},
		{"Policy", "- **Overlap**: In an open economy these policies are bound by the regime of exchange.\n- **Tariff**: tax on goods that come in from other countries of the world\n", "these policies"},
		{"Lecture", "- option 2: \"walk\" + \"er\", where the end marks who does it\n- Finnish: talo on suuri ja vanha\n", "option 2"},
		{"Lecture", "- Turkish: ev büyük ve eski bir yapı\n- Finnish: talo on suuri ja vanha\n", "Finnish"},
		{"Chain", "- Liability: cause => link =>\n- Relief: paid by the court to whoever was harmed\n", "Liability"},
		{"Colours", "A palette has a base colour (`C0`) and at least one that stands beside it on the wheel.", "____"},
		{"Frottage", "`move/paper.py` was taken up into the common base of all that is known here.", "____"},
		{"Diversity", "In [[Miller2021_Soil]] the diversity of all plots together is an indicator of the Community structure there.", "____"},
		{"Barnum", "The effect is also sometimes called **horoscope effect**.", "What is meant"},
		{"Layout", "Alignments are represented as values of a type of their own.", "What is meant"},
		{"Immunity", "- **Control prevents harm to oneself**: one protein blocks another that would begin the cascade\n- **Opsonin**: molecule that marks what is to be eaten\n", "harm to oneself?"},
		{"Mapping", "- **The Problem**: A read of a hundred letters contains at most two mistakes that are not in the genome.\n- **Seed**: a short piece that is found without a mistake\n", "Which term does this describe? “A read"},
		{"Gas", "- **Safety rule**: Always open the window before you begin to fill the bottle.\n- **Valve**: device that closes a pipe\n", "Which term does this describe? “Always"},
		{"Virtues", "- **Wisdom**: tells what is good from what is not in every place\n- **Courage**: Wisdom is what holds it back when there is too much of it\n", "Courage"},
		{"Normes", "- **Légitime** : voulues par des personnes que tous ont choisies\n- **Loi** : règle de tous qui est votée au parlement\n", "« voulues"},
		{"矩阵", "- **左上角**：两个数的积减去另外两个数的积\n- **右下角**：同样的差，只是次序不同的四个数\n", "左上角"},
		{"复数", "- **加法**：对应两个矩阵逐项相加的运算\n- **旋转**：把平面上的点绕原点转过一个角的变换\n", "加法？"},
		{"Kapital", "- Grundkapital steigt um: **1,00 €**\n- Rücklage steigt um: **14,00 €**\n", "steigt um"},
		{"Angriffe", "**Beispiel**: [[Einschleusung]], Angriff mit einem Mittelsmann, Angriff auf die Dienste.", "____"},
		{"Moderno", "Idea: non c'è chi possa dare una chiave di\n\t\tlettura\n", "chiave di?"},
		{"簿記", "### 引当金の計上\n\n貸倒とは、取引先から売上の代金を回収できなくなること\n", "「引当金の計上」"},
		{"法则", "**长尾法则**是上个世纪末一位美国记者在杂志上提出的。", "“长尾法则”"},
		{"Calor", "O **calor** é o principal conceito desta parte, é nele que estamos interessados agora.", "se entende"},
		{"酸化物", "- **酸性下**：色の薄い別のイオンになって水に溶ける\n- **塩**：酸と塩基が反応してできるもの\n", "酸性下"},
		{"Money", "# Money\n\nThe quantity theory of money serves two purposes that are told apart here.\n", "“Money”"},
		{"Aula 9 - Corpos", "**Definição:** Um corpo é um conjunto com as operações + e $\\cdot$\nque satisfazem as propriedades\n", "«Aula"},
		{"Synths", "The synthesizers that I play in the studio at home:\n\n- [Summit](http://a.example)\n- [Hydra](http://b.example)\n- [Octa](http://c.example)\n", "name all"},
		{"Chaleur", "Pour cela on a besoin de grandeurs caractéristiques telles que :\n\n- la pression\n- le volume\n- la capacité\n", "citez"},
		{"Säuren", "| Formula | Name |\n|---|---|\n| H__Cl__ | hydro__clor__ic acid |\n| H__Br__ | hydro__brom__ic acid |\n| H__F__ | hydro__fluor__ic acid |\n", "Name: ____"},
		{"Befehle", "| 名称 | 方式 | 助记符 |\n|---|---|---|\n| 取数 | 立即 | MOV A |\n| ^^ | 寄存器 | MOV B |\n| 加法 | 立即 | ADD A |\n", "^^"},
		{"Habits", "- **01:** One that gets a little better each day ends up far better.\n- **02:** What begins small adds up to much more than that.\n", "01"},
		{"Processo", "- Estabelecer **limites de controle** para cada medida e controlar o processo.\n", "____"},
		{"Etica", "Il dovere è posto in contrasto con l'inclinazione da molti filosofi.\n\n## Dovere\n\nIl dovere è del tutto indipendente da quello che si desidera.\n", "«dovere»"},
		{"Viventi", "Tutti i viventi sono formati da una o più cellule che si riproducono.", "«Tutti"},
		{"Angebot und Preis", "Das Angebot, die Menge und der Preis wirken jeweils auf die anderen ein.", "„Angebot und Preis“"},
		{"OS", "オペレーティングシステムの講義のための資料\n\n## 目次\n\n作成中である。\n", "「OS」"},
		{"Structures", "> [!def] Definition Field ([[book.pdf#page=7|Source]])\n> A ring in which every element but zero has an inverse for the product.\n", "“Source”"},
		{"Scheduling", "Algorithms that determine which process runs next:\n\n1. First come, first served\n2. Shortest job first\n3. Round robin\n", "Put in order"},
		{"DNA", "- Come è fatto: doppia elica\n- Dove si trova: nel nucleo\n- Polimero: molecola formata da molte parti uguali tra loro\n", "Come è fatto"},
		{"Elasticity", "> [!example]\n> **Insulin** is perfectly inelastic: there is nothing else that could be taken for it.\n", "Insulin"},
		{"Ablauf", "Themen der Stunde:\n\n- Spannung\n    - Reihenschaltung von Quellen und Widerständen im Netz\n- Strom\n    - Parallelschaltung von Quellen und Widerständen im Netz\n", "Was versteht man"},
		{"Security", "Compromise: steal what a session holds from the cookies of a user\n\nDefence: keep the cookies of a session away from scripts\n\nCompromise: change what the log of the server has written down\n", "Compromise"},
		{"Beitrag", "**Übrigens:** Der Unterschied der beiden heißt auch Ergebnis des Betriebs.\n", "Übrigens"},
		{"天气", "- 天气：短时间内大气的状态和变化\n- Weather: the state of the air at one time and place\n- 气候：一个地区长期的平均天气\n- Climate: the mean weather of a region over long years\n", "→"},
		{"Membranas", "A osmose é a passagem da água por uma membrana que retém o que está dissolvido nela.\n\n## Osmose\n\nA **osmose** é a passagem da água por uma membrana.\n", "a(n)"},
		{"Ethics", "Ethics arguments are based on the principles of those who make them.", "“Ethics”"},
		{"Files", "- [[20260103_goals]] - where the work of the whole year is to go and why\n- [[20260104_means]] - with what the work of the year is to be done by us\n", "20260103_goals"},
		{"免疫", "- 免疫系统包括：器官、细胞、分子三部分\n- 抗体：能与抗原结合的蛋白质\n", "包括"},
		{"Archaea", "- Distinguished from bacteria by **sequences of their own** in the genes of the ribosome\n", "____"},
		{"Ethics", "Schools:\n\n- Egoism\n    - ethical\n        - what is good is whatever serves the one who acts\n    - psychological\n        - people only ever do what they hold to serve themselves\n", "Ethics — ethical"},
		{"Sounds", "- **Phonetics**: 语音学研究的是人类发音的物理属性和方式\n- **Phonology**: 音系学研究的是语言中声音的模式和系统\n", "哪个术语"},
		{"Nerves", "- Permanence: stimuli\n    - from outside, by the senses of the body\n    - from inside, by the organs\n- Reflex: answer of a muscle that no will is needed for\n", "Permanence"},
		{"Cells", "- **💡 Tip**: print this sheet and put it on the wall above your desk\n- **Nucleus**: the part of the cell that holds its chromosomes\n", "Tip"},
	} {
		for _, q := range bothWays(unitOf(c.title, c.text)) {
			if q.Origin == Rule && q.Rank > .3 && (strings.Contains(q.Prompt, c.never) || q.Expected() == c.never) {
				t.Errorf("%s: %q → %q", c.title, q.Prompt, q.Expected())
			}
		}
	}
}

func TestAsked(t *testing.T) {
	for _, c := range []struct{ title, text, prompt, answer string }{
		{"Structures", "> [!def] Definition Skew Field ([[book.pdf#page=7|Source]])\n> A ring in which every element but zero has an inverse for the product.\n", "“Skew Field”", "A ring in which every element but zero has an inverse for the product."},
		{"Sinapsis", "La sinapsis es el punto de unión entre dos células por el que pasa la señal.", "¿Qué se entiende por «sinapsis»?", "La sinapsis es el punto de unión entre dos células por el que pasa la señal."},
		{"Osmose", "A osmose é a passagem da água por uma membrana que retém o que está dissolvido nela.", "O que se entende por «osmose»?", "A osmose é a passagem da água por uma membrana que retém o que está dissolvido nela."},
		{"Osmose", "L’osmose est le passage de l’eau à travers une membrane qui retient ce qui est dissous dans l’eau.", "Qu’entend-on par « osmose » ?", "L’osmose est le passage de l’eau à travers une membrane qui retient ce qui est dissous dans l’eau."},
		{"Economy", "- **Inflation**: Rate of change of the prices of all goods in a year\n- **Output**: Total value of all goods that a country makes\n- **Interest**: Price of money that is lent for a year\n", "Rate of change of", "Inflation"},
		{"Allomorph", "Allomorphs are variations of a morpheme that are spoken in different ways.", "“Allomorphs”", "Allomorphs are variations of a morpheme that are spoken in different ways."},
		{"Cells", "> [!important] **Galvanic cell:** a type of cell that turns chemical energy into a current\n", "Galvanic cell", "a type of cell that turns chemical energy into a current"},
		{"Ideals", "An ideal $I$ is a maximal ideal if no other proper ideal of the ring contains it.", "“maximal ideal”", "An ideal $I$ is a maximal ideal if no other proper ideal of the ring contains it."},
		{"Bäume", "Ein Graph ist ein Baum, wenn er zusammenhängt und keinen Kreis hat.", "„Baum“", "Ein Graph ist ein Baum, wenn er zusammenhängt und keinen Kreis hat."},
		{"Legende", "# Legende\n\nBehauptung, die das Heer unbesiegt nennt und die Schuld der Heimat gibt.\n", "„Legende“", "Behauptung, die das Heer unbesiegt nennt und die Schuld der Heimat gibt."},
		{"Verben", "## 词源\n\n- **grok**：出自一部小说，二十世纪中叶由作家造出来的新词\n- **meme**：由希腊语的一个词缩短而来，后来才用于网络\n", "Verben › 词源 — grok？", "出自一部小说，二十世纪中叶由作家造出来的新词"},
		{"Parasites", "- **Habitat:** lives in the lumen of the small intestine of its host.\n- **Prevention:** washing of hands and of food, safe water, health education.\n", "Parasites — Habitat?", "lives in the lumen of the small intestine of its host."},
		{"Kinds", "> [!def] Queue\n> - A list from which what came first leaves first\n> - Has a front and a back\n", "“Queue”", "A list from which what came first leaves first; Has a front and a back"},
		{"Faiths", "What came from where is told here.\n\n## One\n\n| Faith | Place |\n|---|---|\n| First | Assam |\n| Second | Bihar |\n| Third | Crete |\n\n## Two\n\n| Faith | Founder |\n|---|---|\n| Fourth | Dora |\n| Fifth | Emil |\n| Sixth | Fritz |\n", "Faiths › Two\nFaith: Fourth\nFounder: ____", "Dora"},
		{"Demand", "Some words on how goods go together in the market.\n\n## Cross price\n\n|  | Substitutes | Complements |\n|---|---|---|\n| price of other rises | more is bought | less is bought |\n| price of other falls | less is bought | more is bought |\n", "Demand › Cross price\nrow: price of other rises\ncolumn: Substitutes\n____", "more is bought"},
		{"Kernphysik", "Der Kern besteht aus kleineren Teilen. Protonen und Neutronen werden als Nukleonen bezeichnet.", "werden als ____ bezeichnet", "Nukleonen"},
		{"細胞", "## 細胞膜とは\n\nバリアーとなって機能して内側と外側を分ける。\n", "「細胞膜」とは", "バリアーとなって機能して内側と外側を分ける。"},
		{"Symbols", "- MRS: Marginal rate of substitution\n- TU: Total utility of a good\n- P: Price\n- Q: Quantity\n- S: Supply\n", "Symbols — MRS?", "Marginal rate of substitution"},
		{"Continuity", "A plan says how a business goes on.\n\n## Disaster recovery\n\n> [!definition]\n> The part of a plan that restores systems, applications and data after a failure.\n", "“Disaster recovery”", "The part of a plan that restores systems, applications and data after a failure."},
		{"Normed space", "A normed space $V$ is a vector space with a length for each of its vectors.", "“normed space”", "A normed space $V$ is a vector space with a length for each of its vectors."},
		{"Orbit", "An orbit under a group $G$ is a set of points that the group moves into each other.", "“orbit”", "An orbit under a group $G$ is a set of points that the group moves into each other."},
		{"Bewegung", "Unter Bewegung versteht man die Änderung des Ortes mit der Zeit.", "„Bewegung“", "Unter Bewegung versteht man die Änderung des Ortes mit der Zeit."},
		{"Körperkultur", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint.", "„Körperkultur“", "Mit Körperkultur ist die Pflege der Gesundheit durch Bewegung gemeint."},
		{"Laute", "1. Phon = kleinste hörbare Einheit einer Äußerung\n2. Silbe = Gruppe von Lauten, die zusammen gesprochen wird\n", "kleinste hörbare", "Phon"},
		{"Logik", "- <mark style=\"background: #fff\">Belegung</mark> ist eine Abbildung von den Variablen in die Wahrheitswerte\n- Text\n", "„Belegung“", "Belegung ist eine Abbildung von den Variablen in die Wahrheitswerte"},
		{"Grundlagen", "# Prinzipien\n\n## homo oeconomicus\n\nDer homo oeconomicus ist eine Kunstfigur, die streng rational handelt.\n", "„homo oeconomicus“", "Der homo oeconomicus ist eine Kunstfigur, die streng rational handelt."},
		{"BWL", "**Markt** <br>\nOrt, an dem Angebot und Nachfrage aufeinander treffen.\n\n**Shareholder** <br>\nAnteilseigner des Unternehmens an der Börse.\n", "aufeinander treffen", "Markt"},
		{"树", "根节点：无前驱，有后继\n\n叶节点：有前驱，无后继\n\n非线性结构：不是以顺序结构排列的数据结构\n", "不是以顺序", "非线性结构"},
		{"集合論", "**有限オートマトン**は集合と関係がある。\n\n## 補集合\n\n**補集合**は、ある集合が持っていない全ての要素を含む集合。\n", "「補集合」", "補集合は、ある集合が持っていない全ての要素を含む集合。"},
		{"TCP", "### 什么是TCP？\n\nTCP：传输控制协议，是一种面向连接的、可靠的传输层通信协议。\n", "“TCP”", "传输控制协议，是一种面向连接的、可靠的传输层通信协议。"},
		{"Contratto", "> [!def] **Contratto** (Art. 1321 cc) #Definizione\n> L'accordo di due o più parti per costituire un rapporto giuridico patrimoniale.\n", "«Contratto»", "L'accordo di due o più parti per costituire un rapporto giuridico patrimoniale."},
		{"Receptors", "| Mechanism | Description |\n|---|---|\n| **Agonist** | Binds to a receptor and activates it, mimicking a natural signal. |\n| **Antagonist** | Binds to a receptor and blocks it, so that no other signal comes through. |\n", "“Binds to a receptor and blocks", "Antagonist"},
		{"Kant", "- Judgements:\n    - A priori\n        - a judgement whose truth is known independent of any experience\n    - A posteriori\n        - a judgement whose truth is known from particular experience alone\n", "independent of any experience", "A priori"},
		{"RDBMS", "### DBエンジンとは\n\nRDBMSがDBに対してデータの処理を行うために必要なソフトウェアのこと。\n", "「DBエンジン」", "RDBMSがDBに対してデータの処理を行うために必要なソフトウェアのこと。"},
		{"lecture", "An eigenvector is a vector that a linear map only multiplies by a number.", "“eigenvector”", "An eigenvector is a vector that a linear map only multiplies by a number."},
		{"Micro Economics", "Microeconomics is the study of individual decisions in an economy.", "“Microeconomics”", "Microeconomics is the study of individual decisions in an economy."},
		{"Bulb", "# Bulb\n\nA lamp of glass that glows when a current heats its wire.\n", "“Bulb”", "A lamp of glass that glows when a current heats its wire."},
		{"Ticket lock", "## what\n- algorithm for mutual exclusion that serves those who wait in their order\n- needs two counters\n", "“Ticket lock”", "algorithm for mutual exclusion that serves those who wait in their order"},
		{"Primzahl", "# Primzahl\n\nEine [[Zahl]], die genau zwei Teiler hat.\n", "„Primzahl“", "Eine Zahl, die genau zwei Teiler hat."},
		{"Selettore", "# Cos'è?\nÈ un circuito che sceglie uno dei segnali in ingresso e lo porta all'uscita\n", "«Selettore»", "È un circuito che sceglie uno dei segnali in ingresso e lo porta all'uscita"},
		{"工具", "## 1. rsync (remote sync)\n\n定义：rsync 是一个只传输差异部分的文件同步工具，常用于备份。\n", "“rsync”", "rsync 是一个只传输差异部分的文件同步工具，常用于备份。"},
		{"Registri", "1. **Accumulatore (A)**\n   Contiene il risultato dell'ultima operazione svolta\n\t- <u>Bit</u> = 16\n2. **Contatore (PC)**\n   Indica quale istruzione verrà eseguita dopo\n\t- <u>Bit</u> = 12\n", "Contiene il risultato", "Accumulatore (A)"},
		{"Curve", "> [!def] Definizione: asintoto orizzontale\n> La retta a cui il grafico si avvicina quando la variabile cresce senza limite.\n", "«asintoto orizzontale»", "La retta a cui il grafico si avvicina quando la variabile cresce senza limite."},
		{"Processi", "# Stati\n\n## Pronto\nProcesso che attende solo il suo turno sul processore della macchina.\n\n## Bloccato\nProcesso che attende un evento prima di poter tornare pronto.\n", "«Pronto»", "Processo che attende solo il suo turno sul processore della macchina."},
		{"Collisions", "In contrast, a collision is a meeting of two bodies that changes how they move.", "“collision”", "In contrast, a collision is a meeting of two bodies that changes how they move."},
		{"Terms", "## Loan\n\n> A contract that gives somebody money for a time.\n\n## Bond\n\n> A paper that is traded and stands for a loan.\n\n## Share\n\n> A part of a company that can be bought and sold.\n", "“Bond”", "A paper that is traded and stands for a loan."},
		{"Recht", "## Besitz\n= tatsächliche Herrschaft einer Person über eine Sache\n\n## Eigentum\n= rechtliche Herrschaft einer Person über eine Sache\n", "„Besitz“", "tatsächliche Herrschaft einer Person über eine Sache"},
		{"GNP", "- The market value of all that a nation makes in a year.\n- is compared with that of other years\n", "“GNP”", "The market value of all that a nation makes in a year."},
		{"文字", "- BOM\n    - 並び順を示すために\n      文書の先頭に置かれる数バイトのデータ\n- 改行\n    - 行の終わりを示す文字のこと\n", "BOM", "並び順を示すために文書の先頭に置かれる数バイトのデータ"},
		{"Datos", "# Características\n\n## 1. Volumen\n\n- **Definición**: El volumen se refiere a la cantidad de datos que se guardan.\n- **Ejemplo**: Una red social guarda mucho cada día.\n", "«volumen»", "El volumen se refiere a la cantidad de datos que se guardan."},
		{"心理", "### 锚定\n\n最先得到的信息会影响后来的判断。\n\n### 从众\n\n多数人的做法会改变一个人的选择。\n\n### 光环\n\n一个优点会让人高估其他的方面。\n\n### 近因\n\n最后出现的信息会留下更深的印象。\n", "从众", "多数人的做法会改变一个人的选择。"},
		{"VWL", "# Bedarf\n\n- Nutzen\n    - Def.: Maß für die Fähigkeit einer Ware, Bedürfnisse zu befriedigen\n- Güter\n    - Ware und Leistung\n", "„Nutzen“", "Maß für die Fähigkeit einer Ware, Bedürfnisse zu befriedigen"},
		{"グラフ", "- 隣接リスト: グラフの辺をリストの形で表したもの\n    ```plain\n    1 2 3\n    ```\n- 隣接行列: グラフの辺を行列の形で表したもの\n", "隣接リスト", "グラフの辺をリストの形で表したもの"},
		{"Limits", "- a limit is a number that the terms of a sequence come near to\n- it is unique if there is one, and bounded sequences need not have one. Not every sequence has one.\n", "“limit”", "A limit is a number that the terms of a sequence come near to"},
	} {
		q := find(bothWays(unitOf(c.title, c.text)), c.prompt)
		if q == nil || q.Origin != Rule && !strings.Contains(c.text, "?\n") || q.Expected() != c.answer {
			t.Errorf("%s: %+v of %+v", c.title, q, bothWays(unitOf(c.title, c.text)))
		}
	}
}

// A definition may have the term's name in another script before it: either is right.
func TestNamesInTwoScripts(t *testing.T) {
	q := find(bothWays(unitFrom("市场", "* Monopoly. 垄断，是指只有一家企业供给整个市场的情形。\n* Duopoly. 双头，是指两家企业供给整个市场的情形。\n")), "____，是指只有一家")
	if q == nil || !slices.Equal(q.Answer.Texts, []string{"垄断", "Monopoly"}) {
		t.Errorf("%+v", q)
	}
}

// What stands in brackets behind an answer is a second form of it, but in a formula it is a part.
func TestShortForms(t *testing.T) {
	for answer, want := range map[string][]string{
		"GDP (Gross Domestic Product)": {"GDP (Gross Domestic Product)", "GDP"}, "弹性（Elasticity）": {"弹性（Elasticity）", "弹性", "Elasticity"}, "TN(真陰性)": {"TN(真陰性)", "TN", "真陰性"}, "面积 (m²)": {"面积 (m²)", "面积"}, "colour (or color)": {"colour (or color)", "colour", "color"},
		"O(1)": {"O(1)"}, "f(x) = O(n)": {"f(x) = O(n)"}, "(both)": {"(both)"}, "sin(x) (sine)": {"sin(x) (sine)"},
		"muy bajo (solo archivos).": {"muy bajo (solo archivos).", "muy bajo"}, `硝酸 (強酸) \\(\mathrm{HNO_3}\\)`: {`硝酸 (強酸) \\(\mathrm{HNO_3}\\)`, "硝酸 (強酸)", "硝酸"}, "$x = 5$": {"$x = 5$"},
	} {
		if got := answerOf(answer).Texts; !slices.Equal(got, want) {
			t.Errorf("%s: %q", answer, got)
		}
	}
}

// What stands below a premise is added within a bound: lists may go down far, each item with a premise of its own.
func TestAPremiseTakesNoMoreThanIsShown(t *testing.T) {
	below := strings.Repeat("    - the rows of it are independent of one another\n", 2000)
	list := bothWays(unitOf("Rank", "- **推论1**：设A为m行n列的矩阵\n"+below+"- **推论2**：两个等价的向量组所含的向量个数总是相等\n"))
	for _, q := range list {
		if strings.HasPrefix(q.Expected(), "设A") && (len(q.Expected()) < mostSaid || len(q.Expected()) > 2*mostSaid) {
			t.Errorf("a premise is shown with %d bytes", len(q.Expected()))
		}
	}
	if !slices.ContainsFunc(list, func(q Question) bool { return strings.HasPrefix(q.Expected(), "设A") }) {
		t.Errorf("the premise is not asked: %+v", list)
	}
}
