package botimport

import (
	"fmt"

	"stoa/internal/market/pack"
)

// knowledgeFields say how a knowledge base is built; what it holds does not travel.
var knowledgeFields = []string{
	"kb_name", "description", "emoji", "embedding_provider_id", "rerank_provider_id", "chunk_size", "chunk_overlap", "top_k_dense",
	"top_k_sparse", "top_m_final", "doc_count", "chunk_count",
}

// knowledge maps what describes the knowledge bases of a backup.
func (b *builder) knowledge(l *layout) {
	name := l.first("databases/kb_metadata.json", "kb_metadata.json")
	if name == "" {
		return
	}
	l.used[name] = true
	shown := l.show(name)
	row := func(table string, i int, v any) {
		m := object(v)
		at := shown + ":" + pack.AppendIndex(table, i)
		if m == nil {
			b.odd(at, "a knowledge base must be an object")
			return
		}
		into := b.section(pack.SectionKnowledge)
		if b.full(len(into), at, "knowledge bases") {
			return
		}
		id := first(m, "kb_id", "kb_name", "id")
		if id == "" {
			id = "knowledge-base"
		}
		id = free(into, clip(id, maxName))
		out := map[string]any{}
		for _, key := range knowledgeFields {
			if m[key] != nil {
				out[key] = b.take(m[key], inside(at, key), pack.AppendKey(pack.AppendKey(pack.SectionKnowledge, id), key))
			}
		}
		into[id] = out
		b.sum.KnowledgeBaseCount = len(into)
	}
	counts, err := b.stream(name, shown, row, "knowledge_bases")
	if err != nil {
		b.unreadable(shown, err)
	}
	for _, table := range []string{"kb_documents", "kb_media"} {
		if n := counts[table]; n > 0 {
			b.rep.add(Field{
				SourcePath: shown + ":" + table, Outcome: OmittedRuntime, IssueCode: pack.IssueRuntimeOmitted, Count: n,
				Note: fmt.Sprintf("documents may be private or copyrighted; refill the knowledge base after the installation (records: %d)", n),
			})
		}
	}
}
