/**
 * What real Puppet does with the Ruby of modules: recorded by `test/fixtures/ruby/record.ts` with
 * Puppet 7.23.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCompileCase } from '../../../../shared/moving-over/parity/compile-case.ts';
import { readRubyCases, readRubyOutcomes } from '../../../helpers/ruby-cases.ts';

const TOPICS = readdirSync(new URL('../../../fixtures/ruby/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The cases that give something else here, by why. */
const DIFFERENT: ReadonlyMap<string, readonly string[]> = new Map([
  ['Ruby 3.2 words errors of syntax in another way', ['odd', 'unbalanced', 'inline-unbalanced']],
  [
    'texts are values here, not objects: Ruby changes its own. With Puppet those that code spells out are frozen, others change',
    [
      'change-append',
      'change-array-alias',
      'change-fact',
      'change-gsub',
      'change-heredoc',
      'change-in-array',
      'change-in-hash',
      'change-integer-text',
      'change-interpolated',
      'change-literal',
      'change-lookup',
      'change-only-interpolated',
      'change-parameter-of-resource',
      'change-parameter',
      'change-result',
      'change-sensitive',
      'change-template-scope',
      'change-template',
      'change-then-compare',
      'change-title',
      'change-top-fact',
      'change-twice',
      'change-upcase',
      'change-variable',
      'change3-variable',
    ],
  ],
  [
    'Ruby gets what an iterator gives as an array',
    [
      'into-4x-iterator',
      'into-4x-step',
      'made-in-catalog-lazy',
      'made-lazy',
      'made-shown-lazy',
      'template-iterator',
      'template-nested-iterator',
      'template-nested-step',
      'template-step',
      'through-4x-iterator',
      'through-4x-step',
    ],
  ],
  [
    'a text that is no UTF-8 is a Binary at once, and one in another encoding UTF-8',
    [
      'made-broken',
      'made-shown-broken',
      'made-shown-bytes',
      'made-shown-latin1',
      'made-shown-nan',
      'made-shown-utf16',
      'made-shown-utf8-bytes',
    ],
  ],
  [
    'a class or a proc of Ruby has a type in Puppet',
    [
      'made-class',
      'made-in-catalog-class',
      'made-in-catalog-object',
      'made-in-catalog-proc',
      'made-object',
      'made-proc',
      'made-shown-class',
      'made-shown-object',
      'made-shown-proc',
    ],
  ],
  [
    'how Ruby shows an object or a type of Puppet',
    [
      'into-3x-deferred',
      'into-4x-deferred',
      'template-class',
      'template-deferred',
      'template-enum',
      'template-integer-type',
      'template-nested-class',
      'template-nested-deferred',
      'template-nested-enum',
      'template-nested-integer-type',
      'template-nested-resource-type',
      'template-nested-resource',
      'template-nested-resources',
      'template-nested-runtime',
      'template-nested-type',
      'template-resource-type',
      'template-resource',
      'template-resources',
      'template-runtime',
      'template-type',
    ],
  ],
  ['the number of a line in the C code of a version of JSON', ['made-in-catalog-infinity']],
  ['within an array :undef is undef', ['made-shown-nested-undef']],
  [
    'refused by name: other machines, indirections, edges, lists of all code',
    [
      'catalog-add-class',
      'catalog-edges',
      'catalog-more',
      'catalog-tag',
      'catalog-vertices',
      'compiler-collections',
      'data-binding',
      'file-serving',
      'indirector-facts',
      'krt-definitions',
      'krt-hostclasses',
      'krt-nodes',
      'puppet-pal',
      'runtime-http',
    ],
  ],
  [
    'not there, or refused where code uses them: parts of Puppet for providers, for other programs, or that change how a scope looks variables up',
    [
      'evaluating-parser',
      'evaluating-parser-quote',
      'parser-files-manifests',
      'scope-lookuptype',
      'scope-with-local',
      'thread-local',
      'util-inifile',
      'util-multi-match',
      'util-retry',
      'util-rpm',
    ],
  ],
  ['the class of an attribute of a type is not there: that there is one is', ['type-validattr']],
  ['what is neither asked for nor kept: a setting that is not there', ['puppet-settings-more']],
]);

const UNLIKE: ReadonlySet<string> = new Set([...DIFFERENT.values()].flat());

describe.each(TOPICS)('%s', (topic) => {
  const outcomes = readRubyOutcomes(topic);
  const cases = readRubyCases(topic).map((line) => ({ id: String(JSON.parse(line).id), line }));

  it.each(cases.filter(({ id }) => !UNLIKE.has(id)))('does as real Puppet: $id', ({ id, line }) => {
    expect(outcomeOf(id, line)).toEqual(steady(outcomes.get(id)));
  });
});

describe('what differs from real Puppet', () => {
  const cases = new Map(TOPICS.flatMap(readRubyCases).map((line) => [String(JSON.parse(line).id), line]));
  const outcomes = new Map(TOPICS.flatMap((topic) => [...readRubyOutcomes(topic)]));

  it.each([...DIFFERENT])('still does: %s', (_, ids) => {
    const alike = ids.filter((id) => {
      const [ours, real] = [outcomeOf(id, cases.get(id) ?? ''), steady(outcomes.get(id))];
      return JSON.stringify(ours) === JSON.stringify(real);
    });
    expect(alike).toEqual([]);
  });
});

function outcomeOf(id: string, line: string): unknown {
  return steady(
    comparable(
      id,
      JSON.parse(runCompileCase(line, JSON.parse(line), { language: 'puppet-8', externalModules: '/no-modules' })),
    ),
  );
}

/** Without the addresses of objects. */
function steady(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome).replace(/0x[0-9a-f]+/g, '0x'));
}

interface Outcome {
  readonly status: string;
  readonly error?: { readonly message: string };
  readonly logs?: readonly { readonly level: string; readonly message: string }[];
  readonly catalog?: { readonly resources: readonly { type: string; title: string; parameters?: unknown }[] };
}

function comparable(id: string, { status, error, logs = [], catalog }: Outcome): unknown {
  return {
    id,
    status,
    ...(error && { message: error.message }),
    logs: logs.map(({ level, message }) => `${level}: ${message}`),
    ...(catalog && {
      resources: catalog.resources
        .slice(3)
        .map(({ type, title, parameters = {} }) => [`${type}[${title}]`, parameters]),
    }),
  };
}
