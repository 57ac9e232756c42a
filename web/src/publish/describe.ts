/** What a member says of what they publish, as the fields of a form. */
export interface Describing {
  id: string;
  version: string;
  title: string;
  description: string;
  category: string;
  tags: string;
  change_note: string;
}

export const emptyDescription: Describing = { id: '', version: '', title: '', description: '', category: '', tags: '', change_note: '' };

export const categories = [
  'general', 'research', 'writing', 'engineering', 'operations', 'support', 'programming', 'copywriting', 'education', 'design',
  'academic', 'life', 'career', 'translation', 'emotions', 'marketing', 'entertainment', 'games', 'office',
];

/** Tags are typed with commas between them, of any of the three scripts. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(/[,，、;\n]/).map((tag) => tag.trim()).filter(Boolean))];
}

/** The fields as a request names them; what was left empty is left out. */
export function described(form: Describing): Record<string, unknown> {
  const { id: _, tags, ...texts } = form;
  const said: Record<string, unknown> = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()]).filter(([, text]) => text));
  const list = tagsOf(tags);
  return list.length > 0 ? { ...said, tags: list } : said;
}

/** How it is to be taken: who sees it, how strictly it is checked, what becomes of an earlier one. */
export interface Choices {
  visibility: 'community' | 'private';
  scan_mode: 'strict' | 'balanced';
  replace_existing: boolean;
}

export const plainChoices: Choices = { visibility: 'community', scan_mode: 'balanced', replace_existing: false };
