import { common, createLowlight } from 'lowlight';

const colours = createLowlight(common);
const longest = 20_000;

type Part = { type: 'text'; value: string } | { type: 'element'; properties: { className?: unknown }; children: Part[] } | { type: string };

/** Colours code whose language is named and known. */
export function colour(blocks: HTMLElement[]): void {
  for (const block of blocks) {
    const language = block.dataset.language ?? '';
    const text = block.textContent;
    if (!colours.registered(language) || text.length > longest) continue;
    block.replaceChildren(...colours.highlight(language, text).children.map((part) => made(part as Part)));
  }
}

function made(part: Part): Node {
  if ('value' in part) return document.createTextNode(part.value);
  const span = document.createElement('span');
  if ('children' in part) {
    const names = part.properties.className;
    if (Array.isArray(names)) span.className = names.join(' ');
    span.append(...part.children.map(made));
  }
  return span;
}
