import { mediaPath, sounds } from './cardtext';
import { noteHref } from './views';

/** A note as the server gives it: text, or a tag with attributes and what stands in it (docs/notes.md). */
export type NoteNode = string | [tag: string, attributes: Record<string, string>, ...children: NoteNode[]];

/** Elements that are made as they are called. Nothing that a note holds can make another. */
const plain = new Set(['p', 'div', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'code', 'em', 'strong', 'del', 'mark', 'sub', 'sup', 'u', 'kbd', 'small', 'br', 'hr', 'tr', 'td', 'th', 'span', 'details', 'summary']);

export interface NoteWords {
  documentId: string;
  /** What a callout is called that has no title. */
  callout: (type: string) => string;
  done: string;
  open: string;
  missing: string;
  /** Above a part of another note; and why it is not shown here. */
  embedded?: (title: string) => string;
  notEmbedded?: { cycle: string; bounds: string };
}

/** The id of a place in a note, apart from the ids of the page. */
export const placeOf = (name: string) => `note-${name}`;

export function build(nodes: NoteNode[], words: NoteWords): DocumentFragment {
  const out = document.createDocumentFragment();
  add(out, nodes, words);
  return out;
}

function add(parent: Node, nodes: NoteNode[], words: NoteWords): void {
  for (const node of nodes) parent.appendChild(typeof node === 'string' ? document.createTextNode(node) : made(node, words));
}

function made([tag, attributes, ...children]: Exclude<NoteNode, string>, words: NoteWords): Node {
  switch (tag) {
    case 'a':
      return link(attributes, children, words);
    case 'media':
      return media(attributes);
    case 'absent':
      return withText('span', 'absent', String(children[0] ?? ''), words.missing);
    case 'math':
      return formula(attributes, String(children[0] ?? ''));
    case 'pre':
      return code(attributes, String(children[0] ?? ''));
    case 'callout':
      return callout(attributes, children, words);
    case 'task': {
      const done = attributes.checked === '1';
      const box = withText('span', 'task', done ? '☑' : '☐');
      box.setAttribute('role', 'img');
      box.setAttribute('aria-label', done ? words.done : words.open);
      return box;
    }
    case 'evidence':
      return into(element('mark', 'evidence'), children, words);
    case 'table': {
      const around = element('div', 'wide');
      around.tabIndex = 0;
      around.appendChild(into(element('table', 'written'), children, words));
      return around;
    }
    case 'embed':
      return embed(attributes, children, words);
    case 'footnotes':
      return into(element('ol', 'footnotes'), children, words);
  }
  const one = element(plain.has(tag) ? tag : 'span');
  if (attributes.id) one.id = placeOf(attributes.id);
  if (attributes.align && /^(left|right|center)$/.test(attributes.align)) one.className = attributes.align;
  if (tag === 'ol' && attributes.start) (one as HTMLOListElement).start = Number(attributes.start) || 1;
  return into(one, children, words);
}

function element(tag: string, style = ''): HTMLElement {
  const one = document.createElement(tag);
  if (style) one.className = style;
  return one;
}

function into(parent: HTMLElement, children: NoteNode[], words: NoteWords): HTMLElement {
  add(parent, children, words);
  return parent;
}

function withText(tag: string, style: string, text: string, title = ''): HTMLElement {
  const one = element(tag, style);
  one.textContent = text;
  if (title) one.title = title;
  return one;
}

function link(attributes: Record<string, string>, children: NoteNode[], words: NoteWords): HTMLElement {
  if (attributes.missing !== undefined) {
    const gone = into(element('span', 'missing'), children, words);
    gone.title = words.missing;
    return gone;
  }
  const a = document.createElement('a');
  if (attributes.href) {
    // The server gives these three kinds alone; a page must not take its word for it.
    if (!/^(https?|mailto):/.test(attributes.href)) return into(element('span'), children, words);
    a.href = attributes.href;
    a.target = '_blank';
    a.rel = 'noopener noreferrer nofollow';
  } else if (attributes.media) {
    a.href = mediaPath(attributes.media);
  } else {
    const document = attributes.note ?? words.documentId;
    a.href = noteHref(document, attributes.goto);
    a.dataset.note = document;
    a.dataset.goto = attributes.goto ?? '';
  }
  return into(a, children, words);
}

function media({ name = '', kind = '', alt = '', width = '' }: Record<string, string>): HTMLElement {
  if (/^(audio|video)\//.test(kind) || sounds.test(name)) {
    const player = document.createElement(kind.startsWith('video/') ? 'video' : 'audio');
    player.controls = true;
    player.preload = 'none';
    player.src = mediaPath(name);
    player.setAttribute('aria-label', alt || name.split('/').at(-1)!);
    return player;
  }
  const image = document.createElement('img');
  image.loading = 'lazy';
  image.alt = alt || name.split('/').at(-1)!.replace(/^\w+:/, '');
  if (Number(width) > 0) image.width = Number(width);
  image.src = mediaPath(name);
  return image;
}

/** A formula stands as it is written until the script that draws formulas has come. */
function formula(attributes: Record<string, string>, tex: string): HTMLElement {
  const one = withText('span', 'formula', tex);
  one.dataset.tex = tex;
  if (attributes.display) {
    one.classList.add('display');
    one.tabIndex = 0; // a wide formula scrolls, by keys too
  }
  if (attributes.marked) one.classList.add('evidence');
  return one;
}

function code(attributes: Record<string, string>, text: string): HTMLElement {
  const block = element('pre');
  block.tabIndex = 0;
  const inner = withText('code', '', text);
  if (attributes.language) inner.dataset.language = attributes.language;
  if (attributes.marked) inner.classList.add('evidence');
  block.appendChild(inner);
  return block;
}

function callout(attributes: Record<string, string>, [first, ...rest]: NoteNode[], words: NoteWords): HTMLElement {
  const titled = typeof first === 'object' && first[0] === 'title' ? first.slice(2) as NoteNode[] : [];
  const folds = attributes.fold === '+' || attributes.fold === '-';
  const box = document.createElement(folds ? 'details' : 'div');
  box.className = 'callout';
  box.dataset.type = attributes.type ?? '';
  if (attributes.fold === '+') (box as HTMLDetailsElement).open = true;
  const title = element(folds ? 'summary' : 'p', 'title');
  if (titled.length > 0) add(title, titled, words);
  else title.textContent = words.callout(attributes.type ?? '');
  box.appendChild(title);
  add(box, rest, words);
  return box;
}

/** Another note, or a part of it, where this one refers to it. */
function embed(attributes: Record<string, string>, children: NoteNode[], words: NoteWords): HTMLElement {
  const { note = '', title = '', why } = attributes;
  const box = element('section', 'embed');
  box.setAttribute('aria-label', words.embedded?.(title) ?? title);
  const head = element('p', 'source');
  head.appendChild(link({ note, goto: attributes.goto ?? '' }, [title], words));
  box.appendChild(head);
  if (why === 'cycle' || why === 'bounds') box.appendChild(withText('p', 'why', words.notEmbedded?.[why] ?? ''));
  return into(box, children, words);
}
