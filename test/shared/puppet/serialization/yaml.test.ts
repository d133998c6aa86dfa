import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseYaml, RubySymbol, YamlLoadError } from '../../../../shared/puppet/serialization/yaml.ts';
import { BytesText } from '../../../../shared/puppet/types/values/bytes-text.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';

interface Recorded {
  readonly cases: readonly { readonly text: string; readonly outcome: string }[];
}

const recorded: Recorded = JSON.parse(readFileSync(new URL('../../../fixtures/psych.json', import.meta.url), 'utf8'));

/** A value in the notation of the fixture. */
function show(value: Value | undefined): string {
  if (value === null || value === undefined) return 'nil';
  // The fixture does not tell bytes from texts.
  if (typeof value === 'string' || value instanceof BytesText) return JSON.stringify(String(value));
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}.0` : String(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof RubySymbol) return `:${value.name}`;
  if (value instanceof PuppetHash) {
    return `{${[...value].map(([key, item]) => `${show(key)}=>${show(item)}`).join(', ')}}`;
  }
  return Array.isArray(value) ? `[${value.map(show).join(', ')}]` : String(value);
}

function read(text: string): string {
  try {
    return show(parseYaml(text, { file: 'F', symbols: true }));
  } catch (error) {
    if (error instanceof YamlLoadError) return error.message;
    throw error;
  }
}

describe('parseYaml', () => {
  it.each(recorded.cases)('reads $text as Psych does', ({ text, outcome }) => {
    expect(read(text)).toBe(outcome);
  });

  it.each([
    ['!binary', 'YWJj', 'abc'],
    ['!!binary', '4pyT', '\u2713'],
    ['!<tag:yaml.org,2002:binary>', '"YWJj"', 'abc'],
  ])('reads %s %s as bytes', (tag, text, expected) => {
    const value = parseYaml(`${tag} ${text}`);
    expect(value).toBeInstanceOf(BytesText);
    expect(String(value)).toBe(expected);
  });

  it('refuses symbols unless they are permitted', () => {
    expect(() => parseYaml('a: :b')).toThrow('(<unknown>): Tried to load unspecified class: Symbol');
  });
});
