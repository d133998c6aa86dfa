import { describe, expect, it } from 'vitest';
import { printClause, printReal, writeJson } from '../../../../shared/inventory/ast/ast.ts';
import { parseFieldPath, writeFieldPath } from '../../../../shared/inventory/ast/field-path.ts';
import { readJsonQuery } from '../../../../shared/inventory/ast/json-reader.ts';
import { listNames } from '../../../../shared/inventory/ast/query-error.ts';

describe('readJsonQuery', () => {
  it.each([['["=","a",1]'], ['[9007199254740993,1.0,1.0E-7,-1,true,null]'], ['{"a":[],"b":{}}'], ['"\\u0000 \\" ü"']])(
    'keeps %s as it is',
    (text) => {
      expect(writeJson(readJsonQuery(text))).toBe(text);
    },
  );

  it.each([
    ['not json', 1, 4, 'not json', '  ^', "Unrecognized token 'not'"],
    ['["=", "a"', 1, 10, '["=", "a"', '        ^', 'Unexpected end-of-input'],
    [
      '{bad',
      1,
      3,
      '{bad',
      ' ^',
      "Unexpected character ('b' (code 98)): was expecting double-quote to start field name",
    ],
    ['["a",\n]', 2, 2, ']', '^', "Unexpected character (']' (code 93))"],
  ])('refuses %j at its line and column', (text, line, column, shown, caret, reason) => {
    expect(() => readJsonQuery(text)).toThrow(
      `Json parse error at line ${line}, column ${column}:\n\n${shown}\n${caret}\n\n${reason}`,
    );
  });

  it('refuses a second query', () => {
    expect(() => readJsonQuery('["=","x",1.5] ["a"]')).toThrow(
      'Only one query may be sent in a request. Found JSON (["a"]) after the query ["=" "x" 1.5]',
    );
  });
});

describe('parseFieldPath', () => {
  it.each([
    ['certname', 'certname', []],
    [
      'facts.os.name',
      'facts',
      [
        { kind: 'name', name: 'os' },
        { kind: 'name', name: 'name' },
      ],
    ],
    ['facts."a.b"', 'facts', [{ kind: 'name', name: 'a.b' }]],
    ['facts.a[12]', 'facts', [{ kind: 'index', name: 'a', index: 12 }]],
    [
      'facts.match("a.*").b',
      'facts',
      [
        { kind: 'match', pattern: 'a.*' },
        { kind: 'name', name: 'b' },
      ],
    ],
  ])('splits %s', (field, top, path) => {
    expect(parseFieldPath(field)).toEqual({ top, path });
  });

  it('takes patterns and indexes for names where asked to', () => {
    expect(parseFieldPath('facts.a[1].match("x")', true).path).toEqual([
      { kind: 'name', name: 'a[1]' },
      { kind: 'name', name: 'match("x")' },
    ]);
  });

  it('is undone by writeFieldPath', () => {
    expect(writeFieldPath(['facts', 'a.b', 'c'])).toBe('facts."a.b".c');
  });
});

it.each([
  [1, '1.0'],
  [1e-7, '1.0E-7'],
  [1.5e10, '1.5E10'],
  [-0, '-0.0'],
  [0.001, '0.001'],
])('prints the double %d as Java does', (value, text) => {
  expect(printReal(value)).toBe(text);
});

it('prints clauses as Clojure does', () => {
  expect(printClause(readJsonQuery('["a\\"b", null, {"k": [true]}]'))).toBe('["a\\"b" nil {"k" [true]}]');
});

it.each([
  [['a'], "'a'"],
  [['a', 'b'], "'a' and 'b'"],
  [['a', 'b', 'c'], "'a', 'b', and 'c'"],
])('joins %j', (names, text) => {
  expect(listNames(names)).toBe(text);
});
