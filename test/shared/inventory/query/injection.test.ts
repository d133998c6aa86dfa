import { describe, expect, it } from 'vitest';
import type { Ast, AstList } from '../../../../shared/inventory/ast/ast.ts';
import { QueryFailed, QueryRefused } from '../../../../shared/inventory/ast/query-error.ts';
import type { Statement } from '../../../../shared/inventory/database/sql.ts';
import { parsePql } from '../../../../shared/inventory/pql/parse-pql.ts';
import { planInventoryQuery } from '../../../../shared/inventory/query/inventory-query.ts';
import { NO_PARAMETERS } from '../../../../shared/inventory/query/query-parameters.ts';

const PIECES = [
  ...["'", '"', '`', '\\', ';', '--', '/*', '*/', '$$', '$1', '$tag$', '%', '_', '?', '??', ':', '::text', '\n', '\t'],
  ...["' or '1'='1", "'; drop table certnames; --", "') union select passwd from pg_shadow --", '" or ""="', "\\'"],
  ...[
    "' || pg_sleep(9) || '",
    "E'\\x27'",
    "U&'\\0027'",
    "copy certnames to program 'id'",
    ') --',
    '} or {',
    ']]',
    '[[',
  ],
  ...[
    '#>',
    '@>',
    '->>',
    '{a,b}',
    '\u2019',
    '\uff07',
    '\u00bf',
    'ü',
    '\u202e',
    'null',
    'true',
    '0x27',
    'chr(39)',
    'a',
    ' ',
    '.',
  ],
];
const COUNT = 5000;
/** Each string is put into this many places, which change from string to string. */
const PLACES_A_STRING = [0, 5, 12];

/** Strings of such pieces; the same ones in each run. */
function* makeStrings(): Generator<string> {
  let state = 42;
  const next = (most: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  for (let index = 0; index < COUNT; index++) {
    yield Array.from({ length: 1 + next(6) }, () => PIECES[next(PIECES.length)]).join('');
  }
}

const from = (entity: string, ...clauses: readonly Ast[]): AstList => ['from', entity, ...clauses];

/** Where a query takes a value. */
const PLACES: Readonly<Record<string, (value: string) => AstList>> = {
  'a column': (value) => from('nodes', ['=', 'certname', value]),
  'a pattern': (value) => from('nodes', ['~', 'certname', value]),
  'a value of a fact': (value) => from('facts', ['and', ['=', 'name', value], ['=', 'value', value]]),
  'a pattern of a fact': (value) => from('facts', ['~', 'value', value]),
  'a path of a fact': (value) => from('fact_contents', ['=', 'path', [value, 0, value]]),
  'a pattern of a path': (value) => from('fact_contents', ['~>', 'path', [value, value]]),
  'a document': (value) => from('inventory', ['=', 'facts.os.name', value]),
  'a pattern of a document': (value) => from('inventory', ['~', 'trusted.extensions.role', value]),
  'a list': (value) => from('nodes', ['in', 'certname', ['array', [value, 'b', value]]]),
  'a resource': (value) => from('resources', ['and', ['=', 'type', value], ['=', 'title', value], ['=', 'tag', value]]),
  'a parameter': (value) => from('resources', ['=', ['parameter', 'ensure'], value]),
  'the name of a parameter': (value) => from('resources', ['=', ['parameter', value], 'present']),
  'a dotted parameter': (value) => from('resources', ['=', 'parameters.ensure', value]),
  'an event': (value) => from('events', ['or', ['=', 'message', value], ['~', 'containing_class', value]]),
  'a report': (value) => from('reports', ['and', ['=', 'status', value], ['=', 'hash', value]]),
  'a subquery': (value) =>
    from('nodes', ['in', 'certname', ['extract', 'certname', ['select_facts', ['=', 'value', value]]]]),
  'an implicit subquery': (value) => from('nodes', ['subquery', 'resources', ['=', 'title', value]]),
  'a function': (value) => from('reports', ['extract', [['function', 'to_string', 'receive_time', value]]]),
  'an environment': (value) => from('environments', ['=', 'name', value]),
  'a package': (value) => from('packages', ['and', ['=', 'package_name', value], ['~', 'version', value]]),
  PQL: (value) =>
    parsePql(`nodes[certname] { certname = ${JSON.stringify(value)} or facts { value ~ ${JSON.stringify(value)} } }`),
};

/** Where a query takes a name that shows in the answer or leads into a document. */
const NAMES: Readonly<Record<string, (name: string) => AstList>> = {
  'a dotted condition': (name) => from('inventory', ['=', `facts.${JSON.stringify(name)}`, 1]),
  'a pattern of names': (name) => from('inventory', ['=', `facts.match(${JSON.stringify(name)})`, 1]),
  'a dotted column': (name) => from('inventory', ['extract', [`facts.${name}`], ['=', 'certname', 'a']]),
  'an order': (name) => from('nodes', ['order_by', [[name, 'asc']]]),
  'a direction': (name) => from('nodes', ['order_by', [['certname', name]]]),
  'a column': (name) => from('nodes', ['extract', [name]]),
  'an entity': (name) => from(name),
  'an operator': (name) => from('nodes', [name, 'certname', 'a']),
  'a function': (name) => from('nodes', ['extract', [['function', name, 'certname']]]),
  'a limit': (name) => from('nodes', ['limit', name]),
};

/** The statements of a query; null when it is refused. */
async function plan(query: AstList): Promise<readonly Statement[] | null> {
  try {
    const { rows, total } = await planInventoryQuery(query, NO_PARAMETERS, async () => [['a', '0'], ['b']]);
    return [rows.render(), total.render()];
  } catch (error) {
    if (error instanceof QueryRefused || error instanceof QueryFailed) return null;
    throw error;
  }
}

const texts = (statements: readonly Statement[] | null) => statements?.map(({ text }) => text) ?? null;

describe('5,000 strings like injections', () => {
  it('never reach the text of SQL as a value', async () => {
    const places = Object.entries(PLACES);
    const harmless = new Map<string, readonly string[] | null>();
    for (const [place, make] of places) harmless.set(place, texts(await plan(make('harmless'))));
    expect([...harmless].filter(([, found]) => found === null)).toEqual([]);
    const [differing, planned]: [unknown[], string[]] = [[], []];
    for (const [index, value] of [...makeStrings()].entries()) {
      const some = PLACES_A_STRING.map((step) => places[(index + step) % places.length] ?? places[0]);
      for (const [place, make] of some.filter((one) => one !== undefined)) {
        const statements = await plan(make(value));
        if (statements === null) continue;
        planned.push(place);
        const expected = harmless.get(place);
        if (texts(statements)?.some((text, at) => text !== expected?.[at])) differing.push([place, value]);
      }
    }
    expect(differing).toEqual([]);
    expect(planned.length).toBeGreaterThan(COUNT * PLACES_A_STRING.length * 0.9);
    expect(new Set(planned).size).toBe(places.length);
  });

  it('only reach the text of SQL as a quoted name in place of a name', async () => {
    const places = Object.entries(NAMES);
    const [wrong, planned]: [unknown[], string[]] = [[], []];
    for (const [index, name] of [...makeStrings()].entries()) {
      const [place, make] = places[index % places.length] ?? ['', () => []];
      for (const text of texts(await plan(make(name))) ?? []) {
        planned.push(place);
        const outside = text.replace(/"(?:[^"]|"")*"/g, '"n"').replace(/'(?:[^']|'')*'/g, "'s'");
        if (/['"`\\;]|--|\/\*|union|drop|pg_/.test(outside.replaceAll('"n"', '').replaceAll("'s'", ''))) {
          wrong.push([place, name, text]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect([...new Set(planned)].sort()).toEqual(['a dotted column', 'a dotted condition', 'a pattern of names']);
  });
});
