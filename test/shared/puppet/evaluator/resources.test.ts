import { beforeEach, describe, expect, it } from 'vitest';
import type { CatalogOperations, CompileContext } from '../../../../shared/puppet/evaluator/ports.ts';
import { CLASS, ResourceType } from '../../../../shared/puppet/types/catalog-types.ts';
import { displayString } from '../../../../shared/puppet/types/format/string-converter.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { evaluateSource, evaluationContext, failureOf } from '../../../helpers/evaluation.ts';

/** What the catalog was told to do, a line each. */
function recordingContext(storeconfigs = true): { context: CompileContext; told: string[] } {
  const told: string[] = [];
  const show = (value: Value) => displayString(value);
  const catalog: Partial<CatalogOperations> = {
    createResources: (_scope, _node, form, typeName, titles, parameters) => {
      const given = parameters.map(({ name, value, append }) => `${name} ${append ? '+>' : '=>'} ${show(value)}`);
      told.push(`${form} ${typeName} ${titles.join(',')} {${given.join(', ')}}`);
      return titles.map((title) => new ResourceType(typeName === 'notify' ? 'Notify' : typeName, String(title)));
    },
    createDefaults: (_scope, _node, typeName, parameters) => {
      told.push(
        `defaults ${typeName} {${parameters.map(({ name, value }) => `${name} => ${show(value)}`).join(', ')}}`,
      );
    },
    overrideResource: (_scope, _node, reference, parameters) => {
      told.push(`override ${reference} {${parameters.map(({ name, append }) => `${name}${append ? '+' : ''}`)}}`);
    },
    relate: (_scope, _node, source, target, kind) => {
      told.push(`${kind} ${show(source)} ${show(target)}`);
    },
    collect: (_scope, node, typeName) => {
      told.push(`collect ${typeName} ${node.query.kind}`);
      return CLASS;
    },
    hasResource: () => false,
  };
  const base = evaluationContext({ settings: { storeconfigs } });
  const context = Object.assign(base, { catalog }) as CompileContext;
  return { context, told };
}

let context: CompileContext;
let told: string[];

beforeEach(() => {
  ({ context, told } = recordingContext());
});

describe('resource expressions', () => {
  it.each([
    ["notify { 'a': message => 1 }", ['regular notify a {message => 1}']],
    ["@notify { ['a', ['b']]: }", ['virtual notify a,b {}']],
    ["@@notify { 'a': }", ['exported notify a {}']],
    [
      "notify { default: message => d, tag => t; 'a': ; 'b': message => m }",
      [
        'regular notify  {message => d, tag => t}',
        'regular notify a {message => d, tag => t}',
        'regular notify b {message => m, tag => t}',
      ],
    ],
    [
      "notify { 'a': * => {message => 1, tag => x}, loglevel => debug }",
      ['regular notify a {message => 1, tag => x, loglevel => debug}'],
    ],
    ['Notify { message => 1 }', ['defaults Notify {message => 1}']],
    ["Notify['a', 'b'] { tag +> x }", ["override Notify['a'] {tag+}", "override Notify['b'] {tag+}"]],
    ['Notify <| title == a |>', ['collect notify VirtualQuery']],
    ['Notify <<| |>>', ['collect notify ExportedQuery']],
    [
      "Notify['a'] -> Notify['b'] ~> [File['c'], File['d']]",
      ["before [Notify['a']] [Notify['b']]", "notify [Notify['b']] [File['c'], File['d']]"],
    ],
    ["Notify['a'] <~ 'Notify[b]'", ["notify [Notify['b']] [Notify['a']]"]],
  ])('%s', (source, expected) => {
    evaluateSource(source, context);
    expect(told).toEqual(expected);
  });

  it.each([
    [
      'notify { undef: }',
      'Evaluation Error: Missing title. The title expression resulted in undef (file: site.pp, line: 1, column: 10)',
    ],
    [
      "notify { ['a', 1]: }",
      'Evaluation Error: Illegal title type at index 1. Expected String, got Integer (file: site.pp, line: 1, column: 10)',
    ],
    [
      "notify { ['a', 'a']: }",
      "Evaluation Error: The title 'a' has already been used in this resource expression (file: site.pp, line: 1, column: 1)",
    ],
    [
      "notify { 'a': message => 1, * => {message => 2} }",
      "Evaluation Error: The attribute 'message' has already been set (file: site.pp, line: 1, column: 1)",
    ],
    [
      "Integer { 'a': }",
      'Evaluation Error: Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got Type[Integer] (file: site.pp, line: 1, column: 1)',
    ],
    [
      "Class['a'] { b => 1 }",
      'Evaluation Error: Resource Override can only operate on resources, got: Class[a]-Type (file: site.pp, line: 1, column: 1)',
    ],
    [
      'Nope <| |>',
      "Evaluation Error: Error while evaluating a Virtual Query, Resource type nope doesn't exist (file: site.pp, line: 1, column: 1)",
    ],
    [
      "1 -> Notify['a']",
      'Evaluation Error: Illegal relationship operand, can not form a relationship with an Integer. A Catalog type is required. (file: site.pp, line: 1, column: 3)',
    ],
    ["File['a']['mode']", "Evaluation Error: Resource not found: File['a'] (file: site.pp, line: 1, column: 1)"],
  ])('refuses %s', (source, message) => {
    Object.assign(context.catalog, { resourceParameter: () => undefined });
    expect(failureOf(source, context)).toBe(message);
  });

  it('warns about exports that nobody keeps', () => {
    ({ context, told } = recordingContext(false));
    evaluateSource("@@notify { 'a': } Notify <<| |>>", context);
    expect(context.log.entries.map(({ level, message, line, pos }) => [level, message, line, pos])).toEqual([
      ['warning', 'You cannot collect exported resources without storeconfigs being set; the export is ignored', 1, 1],
      [
        'warning',
        'You cannot collect exported resources without storeconfigs being set; the collection will be ignored',
        1,
        19,
      ],
    ]);
  });
});
