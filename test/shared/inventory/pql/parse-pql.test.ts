import { describe, expect, it } from 'vitest';
import { writeJson } from '../../../../shared/inventory/ast/ast.ts';
import { QueryRefused } from '../../../../shared/inventory/ast/query-error.ts';
import { parsePql } from '../../../../shared/inventory/pql/parse-pql.ts';

describe('parsePql', () => {
  it.each<[string, unknown]>([
    ['nodes {}', ['from', 'nodes']],
    [' \n nodes [ certname ]\n{ } ', ['from', 'nodes', ['extract', ['certname']]]],
    ['nodes[count()] { }', ['from', 'nodes', ['extract', [['function', 'count']]]]],
    [
      'reports[to_string(end_time, "YYYY"), sum(a)] { }',
      [
        'from',
        'reports',
        [
          'extract',
          [
            ['function', 'to_string', 'end_time', 'YYYY'],
            ['function', 'sum', 'a'],
          ],
        ],
      ],
    ],
    ["nodes{a='1'}", ['from', 'nodes', ['=', 'a', '1']]],
    ["nodes { a != '1' }", ['from', 'nodes', ['not', ['=', 'a', '1']]]],
    ["nodes { a !~ '1' }", ['from', 'nodes', ['not', ['~', 'a', '1']]]],
    ['nodes { !! a = 007 }', ['from', 'nodes', ['not', ['not', ['=', 'a', 7]]]]],
    ['nodes { a = -1.5e3 }', ['from', 'nodes', ['=', 'a', -1500]]],
    ['nodes { a is null }', ['from', 'nodes', ['null?', 'a', true]]],
    ['nodes { a is not null }', ['from', 'nodes', ['null?', 'a', false]]],
    ["nodes { a = 'it\\'s \\\\ ' }", ['from', 'nodes', ['=', 'a', "it's \\\\ "]]],
    ['nodes { a = "x\\n\\u00fc" }', ['from', 'nodes', ['=', 'a', 'x\nü']]],
    ['nodes { a = [1, [true, false]] }', ['from', 'nodes', ['=', 'a', [1, [true, false]]]]],
    ["nodes { a in ['x', 2] }", ['from', 'nodes', ['in', 'a', ['array', ['x', 2]]]]],
    ['nodes { path ~> ["a", "b"] }', ['from', 'nodes', ['~>', 'path', ['a', 'b']]]],
    [
      'nodes { [a, b] in facts[c, d] { e > 1 } }',
      ['from', 'nodes', ['in', ['a', 'b'], ['from', 'facts', ['extract', ['c', 'd'], ['>', 'e', 1]]]]],
    ],
    ['nodes { facts { a = 1 } }', ['from', 'nodes', ['subquery', 'facts', ['=', 'a', 1]]]],
    [
      'nodes { a = 1 or b = 2 and c = 3 or d = 4 }',
      ['from', 'nodes', ['or', ['=', 'a', 1], ['and', ['=', 'b', 2], ['=', 'c', 3]], ['=', 'd', 4]]],
    ],
    [
      'nodes { (a = 1 or b = 2) and c = 3 }',
      ['from', 'nodes', ['and', ['or', ['=', 'a', 1], ['=', 'b', 2]], ['=', 'c', 3]]],
    ],
    [
      'inventory { facts."a.b".match("c.*").d[0] = 1 }',
      ['from', 'inventory', ['=', 'facts."a.b".match("c.*").d[0]', 1]],
    ],
    [
      'nodes[a] { b = 1 group by a, count(b) }',
      ['from', 'nodes', ['extract', ['a'], ['=', 'b', 1], ['group_by', 'a', ['function', 'count', 'b']]]],
    ],
    [
      'nodes[a] { b = 1 limit 2 offset 1 order by a desc, b }',
      [
        'from',
        'nodes',
        ['extract', ['a'], ['=', 'b', 1]],
        ['limit', 2],
        ['offset', 1],
        ['order_by', [['a', 'desc'], 'b']],
      ],
    ],
  ])('reads %s', (pql, ast) => {
    expect(JSON.parse(writeJson(parsePql(pql)))).toEqual(ast);
  });

  it('keeps whole numbers of 64 bits and distinguishes 1 from 1.0', () => {
    expect(writeJson(parsePql('nodes { a in [9007199254740993, 1, 1.0] }'))).toBe(
      '["from","nodes",["in","a",["array",[9007199254740993,1,1.0]]]]',
    );
  });

  it.each([
    ['node { }', 1, 1, 'node { }'],
    ['', 1, 1, 'null'],
    ['nodes {', 1, 8, 'nodes {'],
    ['nodes { } x', 1, 10, 'nodes { } x'],
    ['nodes[a b] {}', 1, 9, 'nodes[a b] {}'],
    ['nodes { a == 1 }', 1, 12, 'nodes { a == 1 }'],
    ["nodes { a = 'x'and b = 1 }", 1, 16, "nodes { a = 'x'and b = 1 }"],
    ['nodes {\n a =\n 1e3 }', 3, 3, ' 1e3 }'],
    ['nodes { a in [] }', 1, 15, 'nodes { a in [] }'],
    ['nodes { /* c */ }', 1, 9, 'nodes { /* c */ }'],
  ])('refuses %j at its line and column', (pql, line, column, shown) => {
    const caret = `${' '.repeat(column - 1)}^`;
    const message = `PQL parse error at line ${line}, column ${column}:\n\n${shown}\n${caret}\n\nExpected one of:\n`;
    expect(() => parsePql(pql)).toThrow(message);
  });

  it('names what it expected', () => {
    const place = "PQL parse error at line 1, column 17:\n\nnodes { a = 'x }\n                ^\n\n";
    expect(() => parsePql("nodes { a = 'x }")).toThrow(new QueryRefused(`${place}Expected:\n'\n`));
  });

  it('refuses a whole number of more than 64 bits', () => {
    expect(() => parsePql('nodes { a = 9223372036854775808 }')).toThrow('For input string: "9223372036854775808"');
  });

  it('reads long lists and long conditions', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `'n${index}'`);
    const [, , [, , [, listed] = []] = []] = JSON.parse(writeJson(parsePql(`nodes { a in [${names.join(', ')}] }`)));
    expect(listed).toHaveLength(5000);
    const conditions = names.map((name) => `a = ${name}`).join(' or ');
    expect(JSON.parse(writeJson(parsePql(`nodes { ${conditions} }`)))[2]).toHaveLength(5001);
  });

  it('reads deep nesting in a time that grows with its length', () => {
    const pql = `nodes { ${'('.repeat(200)}a = 1${')'.repeat(200)} }`;
    expect(JSON.parse(writeJson(parsePql(pql)))).toEqual(['from', 'nodes', ['=', 'a', 1]]);
  });
});
