import { describe, expect, it } from 'vitest';
import { CompileLog } from '../../../../shared/puppet/errors/compile-log.ts';
import { parseProgram } from '../../../../shared/puppet/language/parser.ts';
import { assertValid, type CheckOptions, checkProgram } from '../../../../shared/puppet/validation/check.ts';

function messages(source: string, options: CheckOptions): string[] {
  const program = parseProgram(source, { file: 'x.pp', tasks: options.tasks });
  return checkProgram(program, options).map(({ severity, message }) => `${severity}: ${message}`);
}

describe('checkProgram', () => {
  it.each([
    ['off', []],
    ['warning', ["warning: The key 'a' is declared more than once"]],
    ['error', ["error: The key 'a' is declared more than once"]],
  ] as const)('takes equal keys of a hash as strict=%s says', (strict, expected) => {
    expect(messages('$x = { a => 1, a => 2 }', { strict })).toEqual(expected);
  });

  it('keeps all but definitions off the top of an autoloaded file, and names to its namespace', () => {
    expect(messages('class m::a { } notice(1) class m::sub::b { }', { strict: 'error', namespace: 'm::sub' })).toEqual([
      'error: This Function Call is unacceptable as a top level construct in this location',
      "error: Unacceptable location. The name 'm::a' is unacceptable in file 'x.pp'",
    ]);
  });

  it('warns of types of parameters that are no literals', () => {
    expect(
      messages('class a(Integer[-1, 2] $x, Integer[2-1] $y, Optional[[String]] $z) { }', { strict: 'error' }),
    ).toEqual(
      ['y', 'z'].map(
        (name) =>
          `deprecation: The parameter '$${name}' must be a literal type, not a Puppet::Pops::Model::AccessExpression`,
      ),
    );
  });

  it('allows catalogs only in apply with tasks', () => {
    const options = { strict: 'error', tasks: true } as const;
    expect(messages("file { 'x': } apply('h') { file { 'y': } apply('i') { } }", options)).toEqual([
      'error: A Resource Statement is only available when compiling a catalog',
      "error: An 'apply' expression is not available when compiling a catalog",
    ]);
  });
});

describe('assertValid', () => {
  it('logs several errors and counts them', () => {
    const log = new CompileLog();
    const program = parseProgram('1 2\n$a::b = { c => 1, c => 2 }', { file: 'x.pp' });
    expect(() => assertValid(program, checkProgram(program, { strict: 'warning' }), log)).toThrow(
      'Language validation logged 2 errors, and 1 warnings. Giving up (file: x.pp)',
    );
    expect(log.entries.map(({ level, message, line, pos }) => [level, message, line, pos])).toEqual([
      ['warning', "The key 'c' is declared more than once", 2, 21],
      [
        'err',
        'This Literal Integer has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)',
        1,
        1,
      ],
      ['err', "Illegal attempt to assign to 'a::b'. Cannot assign to variables in other namespaces", 2, 1],
    ]);
  });

  it('shows no more than ten', () => {
    const log = new CompileLog();
    const program = parseProgram('$a::b = 1\n'.repeat(12), { file: null });
    expect(() => assertValid(program, checkProgram(program, { strict: 'error' }), log)).toThrow(
      'Language validation logged 12 errors. Giving up',
    );
    expect(log.entries).toHaveLength(10);
  });
});
