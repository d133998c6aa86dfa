import { describe, expect, it } from 'vitest';
import { UnusableTask } from '../../../../shared/orchestrator/tasks/task-library.ts';
import { checkTaskParameters, readParameters } from '../../../../shared/orchestrator/tasks/task-parameters.ts';

type Described = Readonly<Record<string, unknown>>;

const check = (parameters: unknown, given: Described) =>
  checkTaskParameters(readParameters('m::t', { parameters }, {}), given);

describe('checkTaskParameters', () => {
  it.each<[string, Described, Described, readonly string[]]>([
    ['a missing one', { name: { type: 'String[1]' } }, {}, ["expects a value for parameter 'name'"]],
    ['an unknown one', { name: { type: 'Optional[String]' } }, { nome: 'x' }, ["has no parameter named 'nome'"]],
    ['one of the runner', {}, { _noop: true }, ["has no parameter named '_noop'"]],
    ['no type', { a: { description: 'anything' } }, { a: [{ b: null }] }, []],
    [
      'a text of no characters',
      { a: { type: 'String[1]' } },
      { a: '' },
      ["parameter 'a' expects a String[1] value, got String"],
    ],
    [
      'a number as text',
      { a: { type: 'Integer' } },
      { a: '12' },
      ["parameter 'a' expects an Integer value, got String"],
    ],
    [
      'a word',
      { a: { type: 'Enum[start, stop]' } },
      { a: 'restart' },
      ["parameter 'a' expects a match for Enum['start', 'stop'], got 'restart'"],
    ],
    [
      'a member',
      { a: { type: 'Struct[{b => Integer}]' } },
      { a: { b: 'x' } },
      ["parameter 'a' entry 'b' expects an Integer value, got String"],
    ],
    [
      'keys that JSON does not have',
      { a: { type: 'Hash[Integer, String]' } },
      { a: { 1: 'x' } },
      ["parameter 'a' key of entry '1' expects an Integer value, got String"],
    ],
    ['a whole number, perhaps written 1.0', { a: { type: 'Float' } }, { a: 1 }, []],
    ['whole numbers in a list of fractions', { a: { type: 'Array[Float]' } }, { a: [1, 2.5] }, []],
    ['a fraction', { a: { type: 'Integer' } }, { a: 1.5 }, ["parameter 'a' expects an Integer value, got Float"]],
    ['a large number', { a: { type: 'Integer[0]' } }, { a: 1e21 }, []],
    ['null', { a: { type: 'Integer' } }, { a: null }, ["parameter 'a' expects an Integer value, got Undef"]],
    [
      'a type of modules',
      { a: { type: 'Stdlib::Port' } },
      { a: 1 },
      ["parameter 'a' references an unresolved type 'Stdlib::Port'"],
    ],
    [
      'a sensitive value, which is not shown',
      { a: { type: 'Enum[x]', sensitive: true } },
      { a: 'hunter2' },
      ["parameter 'a' expects a value of type Enum[x], got another, sensitive one"],
    ],
    [
      'several',
      { a: { type: 'Integer' }, b: { type: 'Integer' } },
      { b: 'x', c: 1 },
      [
        "has no parameter named 'c'",
        "expects a value for parameter 'a'",
        "parameter 'b' expects an Integer value, got String",
      ],
    ],
  ])('judges %s', (_, parameters, given, faults) => {
    expect(check(parameters, given).faults).toEqual(faults);
  });

  it.each<[string, Described, Described, Described]>([
    ['for an absent value', { a: { type: 'Integer', default: 3 } }, {}, { a: 3 }],
    ['for null', { a: { type: 'Integer', default: 3 } }, { a: null }, { a: 3 }],
    ['unless a value is given', { a: { type: 'Integer', default: 3 } }, { a: 4 }, { a: 4 }],
  ])('fills the default in %s', (_, parameters, given, input) => {
    expect(check(parameters, given)).toEqual({ input, faults: [] });
  });

  it('takes anything by a valid name when the metadata have no parameters', () => {
    expect(check(undefined, { any: [1, { a: null }] }).faults).toEqual([]);
    expect(check(null, { _task: 'x', B: 1 }).faults).toEqual([
      "'_task' is not a valid parameter name",
      "'B' is not a valid parameter name",
    ]);
  });

  it('refuses values that Ruby would not parse for their nesting', () => {
    const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect(check({ a: {} }, { a: nested(100) }).faults).toEqual([]);
    expect(check({ a: {} }, { a: nested(101) }).faults).toEqual(["parameter 'a' is nested more than 100 levels deep"]);
    expect(check(null, { a: nested(10_000) }).faults).toEqual(["parameter 'a' is nested more than 100 levels deep"]);
  });
});

describe('readParameters', () => {
  const START = 'Failed to load metadata for task m::t: ';
  it.each<[unknown, string]>([
    [[], "'parameters' must be a hash"],
    [{ a: 'String' }, "parameter 'a' must be a hash"],
    [{ _a: {} }, "'_a' is not a valid parameter name"],
    [{ a: { type: 7 } }, "the type of parameter 'a' must be a string"],
    [{ a: { type: 'String[' } }, "the type of parameter 'a' cannot be read: Syntax error at end of input"],
  ])('refuses %j', (parameters, reason) => {
    expect(() => readParameters('m::t', { parameters }, {})).toThrow(
      new UnusableTask('puppet.tasks/invalid-metadata', `${START}${reason}`),
    );
  });
});
