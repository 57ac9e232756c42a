/** Whether a description is more than a line or two of plain words, and so has a place of its own on the page. */
export const written = (description: string): boolean => /\n|^#|\*\*|`|\]\(|^[-*] /.test(description) || description.length > 400;

/** The words of a description on a card, without the signs of Markdown. */
export const plainWords = (description: string): string =>
  written(description) ? description.replace(/<[^>]*>/g, ' ').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^\s*(?:#+|[-*+]|>|\d+\.)\s+/gm, '').replace(/\*\*|`/g, '').replace(/\s+/g, ' ').trim() : description;
