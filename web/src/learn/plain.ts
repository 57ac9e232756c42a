/** A passage of a note as a reader wants it: without the marks that are for programs. Code and formulas stay as they are. Pure. */
export function plainText(markdown: string): string {
  const text = markdown.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
  let fenced = false;
  return text
    .split(/\r?\n/)
    .flatMap((line) => {
      if (/^\s*(```|~~~)/.test(line)) {
        fenced = !fenced;
        return [];
      }
      return fenced ? [line] : [inline(line)];
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function inline(line: string): string {
  // What stands in backticks is code and keeps its signs.
  return line
    .replace(/^\s{0,3}#{1,6}\s+/, '')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : words(part)))
    .join('');
}

function words(part: string): string {
  return part
    .replace(/!?\[\[([^\]|]+)\|([^\]]+)\]\]/g, '$2')
    .replace(/!?\[\[([^\]]+)\]\]/g, '$1')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/\s\^[\w-]+$/, '');
}
