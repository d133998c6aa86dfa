import type { SeededChance } from './seeded-chance.ts';

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

const SCALARS: readonly Plain[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 2 ** 60, '', 'a', 'a b', 'é', '%{facts.a}', '\u0000', '😀', '2026-01-01'],
  ...[
    'yes',
    'no',
    '0x1f',
    '0o17',
    '1_000',
    '.inf',
    ':symbol',
    '- a',
    '# no',
    '{',
    '&a',
    '*a',
    '!x',
    '|',
    '>',
    "'",
    '"',
  ],
];
const KEYS = ['a', 'b::c', 'lookup_options', '<<', '~', '', '1', 'é', 'key with blanks', '__proto__', 'constructor'];
const DEEPEST = 4;

/** Data as Hiera files and facts have. */
export function generateData(chance: SeededChance, depth = 0): Plain {
  if (depth >= DEEPEST || chance.often(depth === 0 ? 0.05 : 0.45)) return chance.of(SCALARS);
  if (chance.often(0.35)) return chance.times(4, () => generateData(chance, depth + 1));
  return Object.fromEntries(chance.times(4, () => [chance.of(KEYS), generateData(chance, depth + 1)]));
}

/** Data as YAML: in blocks, in flow style, with anchors, tags and several forms of text. */
export function generateYaml(chance: SeededChance): string {
  return `${chance.of(['---\n', '', '%YAML 1.1\n---\n', '# comment\n'])}${yamlOf(generateData(chance), chance, '')}\n`;
}

function yamlOf(data: Plain, chance: SeededChance, indent: string): string {
  const mark = chance.of(['', '', '', '', '&a ', '!!str ', '!x ']);
  if (data === null || typeof data !== 'object') return mark + scalarOf(data, chance, indent);
  if (chance.often(0.25)) return `${mark}${JSON.stringify(data)}`;
  const deeper = `${indent}  `;
  const lines = isList(data)
    ? data.map((item) => `${indent}- ${yamlOf(item, chance, deeper).trimStart()}`)
    : Object.entries(data).map(([key, item]) => `${indent}${keyOf(key, chance)}: ${yamlOf(item, chance, deeper)}`);
  return lines.length === 0 ? `${mark}${isList(data) ? '[]' : '{}'}` : `${mark}\n${lines.join('\n')}`;
}

function isList(data: Plain): data is readonly Plain[] {
  return Array.isArray(data);
}

function keyOf(key: string, chance: SeededChance): string {
  return chance.often(0.6) ? key : chance.of([JSON.stringify(key), `'${key}'`, `? ${key}\n`]);
}

function scalarOf(data: Plain, chance: SeededChance, indent: string): string {
  const text = String(data);
  return chance.of([
    () => text,
    () => JSON.stringify(data),
    () => `'${text}'`,
    () => `|${chance.of(['', '-', '+', '2'])}\n${indent}  ${text}`,
    () => `>\n${indent}  ${text}\n\n${indent}  ${text}`,
    () => '*a',
  ])();
}

/** Data as HOCON, with paths, substitutions and includes. */
export function generateHocon(chance: SeededChance): string {
  return chance
    .times(5, () => {
      const key = chance.of(['a', 'a.b', '"a.b"', 'b', 'c.d.e', 'f += ', '\u0024{x}']);
      const value = chance.of([
        () => JSON.stringify(generateData(chance, 2)),
        () => '\u0024{a.b}',
        () => '\u0024{?HOME} tail',
        () => '[1, 2,\n 3]',
        () => '{ x = 1, y : 2 } { z = 3 }',
        () => '"""a\n"b" """',
        () => '10 seconds',
        () => 'unquoted text // comment',
      ])();
      return `${key}${chance.of([' = ', ' : ', ' ', '\n'])}${value}`;
    })
    .join(chance.of(['\n', ',\n', ', ']));
}
