import { expect, test } from 'vitest';
import { canonical } from './canonical';
import { itemsOf, spelled, textAt, withMember } from './spelled';

const config = '{ "z": 12345678901234567890, "a":{"f":1.0,"e": 1E5 ,"list":[ 1.50,{"q":"a,}\\"]"}],"none":{}}, "é\\u0041":"\\u00e9" }';

test('reads single values with their numbers as they were spelled', () => {
  expect(textAt(config, ['z'])).toBe('12345678901234567890');
  expect(textAt(config, ['a', 'f'])).toBe('1.0');
  expect(textAt(config, ['éA'])).toBe('"\\u00e9"');
  expect(textAt(config, ['a', 'list', 'q'])).toBeUndefined();
  expect(textAt(config, ['toString'])).toBeUndefined();
  expect(spelled(config)).toBe('{"a":{"e":1E5,"f":1.0,"list":[1.50,{"q":"a,}\\"]"}],"none":{}},"z":12345678901234567890,"éA":"é"}');
  expect(itemsOf('[ {"a":1} , 2.0,[]]')).toEqual(['{"a":1}', '2.0', '[]']);
  expect(itemsOf('{}')).toBeUndefined();
  expect(() => textAt('{"a":', ['a'])).toThrow(SyntaxError);
});

test('sets one member and leaves every other byte as it stood', () => {
  expect(withMember(config, ['a', 'f'], '2')).toBe(config.replace('1.0', '2'));
  expect(withMember(config, ['a', 'none', 'new'], '0.10')).toBe(config.replace('{}', '{"new":0.10}'));
  expect(withMember(config, ['a', 'gone', 'new'], '1')).toBeUndefined();
  expect(withMember(config, ['z', 'new'], '1')).toBeUndefined();
  expect(withMember('{}', ['a'], null)).toBe('{}');
});

test('what is set and taken out again, anywhere, leaves the text that stood before', () => {
  for (const path of [['new'], ['a', 'new'], ['a', 'none', 'new']]) expect(spelled(withMember(withMember(config, path, '[1.0]')!, path, null)!)).toBe(spelled(config));
  for (const name of ['z', 'a', 'éA']) {
    const rest = JSON.parse(withMember(config, [name], null)!) as Record<string, unknown>;
    const { [name]: _, ...others } = JSON.parse(config) as Record<string, unknown>;
    expect(canonical(rest)).toBe(canonical(others));
  }
  for (const text of ['{"a":1}', '{"a":1,"b":2}', '{"b":2,"a":1}']) expect(JSON.parse(withMember(text, ['a'], null)!)).not.toHaveProperty('a');
});
