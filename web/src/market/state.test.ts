import { describe, expect, test } from 'vitest';
import { activeFilters, hrefOf, isPlain, parseState, toParams, withFilter, withKind, withoutFilters } from './state';

const parse = (query: string) => parseState(new URLSearchParams(query));

describe('the address', () => {
  test.each([
    '',
    'query=%E7%BF%BB%E8%AF%91',
    'show=packs&pack_type=extension_pack&pack=profile%2Fofficial-starter',
    'query=a+b&category=design&tag=art&source_channel=operator_import&risk_level=low&featured=true&sort=installs&item=official%2Fx',
  ])('survives parsing and writing: %s', (query) => expect(toParams(parse(query)).toString()).toBe(query));

  test('ignores what it does not know', () => {
    expect(toParams(parse('sort=upside_down&featured=maybe&utm=1')).toString()).toBe('');
  });

  test('puts the list of packs behind a link to a pack', () => {
    expect(parse('pack=p').list.kind).toBe('profile_pack');
    expect(parse('item=t').list.kind).toBe('template');
  });

  test('is the bare page for a bare list', () => expect(hrefOf(parse(''))).toBe('/market'));
});

describe('filters', () => {
  const { list } = parse('query=x&category=design&featured=true&sort=newest');

  test('are set and listed by name', () => {
    expect(activeFilters(withFilter(list, 'tag', 'art'))).toEqual([
      { name: 'category', value: 'design' },
      { name: 'tag', value: 'art' },
    ]);
  });

  test('go away together', () => {
    expect(isPlain(list)).toBe(false);
    expect(isPlain(withoutFilters(list))).toBe(true);
  });

  test('stay behind when the kind changes, while words and order go along', () => {
    expect(toParams({ list: withKind(list, 'profile_pack') }).toString()).toBe('show=packs&query=x&sort=newest');
  });
});
