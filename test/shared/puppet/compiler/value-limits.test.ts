import { describe, expect, it, vi } from 'vitest';
import { VALUE_LIMITS } from '../../../../shared/puppet/errors/value-limits.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const TEXT = 'text has more than 33554432 characters';
const ARRAY = 'array has more than 1048576 elements';
const HASH = 'hash has more than 262144 keys';
const CALL = 'Error while evaluating a Function Call, ';
const METHOD = 'Error while evaluating a Method call, ';
/** Doubles a value so many times. */
const doubled = (start: string, twice: string, times = 31) =>
  `Integer[1, ${times}].reduce(${start}) |$m, $i| { ${twice} }`;

describe('a value that is too large', () => {
  it.each([
    ['a width from an argument', "sprintf('%*d', 100000000, 1)", `${CALL}sprintf(): ${TEXT}`],
    ['a width', "sprintf('%100000000d', 1)", `${CALL}sprintf(): ${TEXT}`],
    ['a precision', "sprintf('%.100000000f', 1.0)", `${CALL}sprintf(): ${TEXT}`],
    ['two widths below the limit', "sprintf('%30000000d%30000000d', 1, 1)", `${CALL}sprintf(): ${TEXT}`],
    ['doubled text', doubled("'aaaaaaaaaa'", '"$m$m"'), `Error while evaluating a Double Quoted String, ${TEXT}`],
    ['text that is joined', doubled("'aaaaaaaaaa'", "join([$m, $m], '')"), `${CALL}join(): ${TEXT}`],
    [
      'text that is replaced',
      "regsubst(sprintf('%9999s', ''), ' ', sprintf('%9999s', ''), 'G')",
      `${CALL}regsubst(): ${TEXT}`,
    ],
    ['the elements of a type', 'Array(Integer[1, 16777216])', `${CALL}new(): ${ARRAY}`],
    ['an unfolded iterator', '[*Integer[1, 16777216].reverse_each]', `Error while evaluating an Unfold, ${ARRAY}`],
    ['a doubled array', doubled('[1]', '$m + $m'), `Error while evaluating a '+' expression, ${ARRAY}`],
    ['a flat array', `flatten(${doubled('[1]', '[$m, $m]')})`, `${CALL}flatten(): ${ARRAY}`],
    ['empty arrays', `flatten(${doubled('[]', '[$m, $m]')})`, `${CALL}flatten(): ${ARRAY}`],
    ['the text of nested arrays', `String(${doubled('[1]', '[$m, $m]')})`, `${CALL}new(): ${TEXT}`],
    ['the text of nested hashes', `String(${doubled('{}', '{ a => $m, b => $m }')})`, `${CALL}new(): ${TEXT}`],
    ['characters', "split(sprintf('%1100000s', ''), '')", `${CALL}split(): ${ARRAY}`],
    ['a block for each of many', '100000000.map |$i| { $i }', `${METHOD}map(): ${ARRAY}`],
    ['what a block selects of many', '100000000.filter |$i| { true }', `${METHOD}filter(): ${ARRAY}`],
    [
      'arrays unfolded side by side',
      doubled('[1]', '[*$m, *$m]'),
      `Error while evaluating an Array Expression, ${ARRAY}`,
    ],
    ['a hash', 'Hash(Array(Integer[1, 524290]))', `${CALL}new(): ${HASH}`],
  ])('fails with the name of the function and the place: %s', (_, expression, message) => {
    const result = compileSource(`\n $large = ${expression}`);
    expect(result).toMatchObject({ status: 'failed', log: [{ message: `Evaluation Error: ${message}`, line: 2 }] });
  });

  it('is refused before a block runs for the first of its elements', () => {
    const result = compileSource('$large = 100000000.map |$i, $j| { notice($i) }');
    const message = `Evaluation Error: ${METHOD}map(): ${ARRAY}`;
    expect(result).toMatchObject({ status: 'failed', log: [{ message }] });
  });

  it('is made as far as a block goes that ends early', () => {
    const end = (call: string) => `100000000.map |$i| { if $i > 2 { ${call} } $i }`;
    const code = `notice(${end('break()')}, ${end("call('break')")}, ${end('[1].each |$x| { break() } break()')})`;
    expect(compileSource(code)).toMatchObject({ status: 'ok', log: [{ message: '[0, 1, 2] [0, 1, 2] [0, 1, 2]' }] });
  });

  it('is refused as a literal before its entries are evaluated', () => {
    const entries = Array.from({ length: VALUE_LIMITS.keys + 1 }, (_, index) => `${index}=>1`);
    const result = compileSource(`$large = {${entries}}`);
    const message = `Evaluation Error: Error while evaluating a Hash Expression, ${HASH}`;
    expect(result).toMatchObject({ status: 'failed', log: [{ message }] });
  });

  it('is refused as soon as a hash has too many keys', () => {
    const set = vi.spyOn(PuppetHash.prototype, 'set');
    try {
      compileSource('$large = Hash(Array(Integer[1, 1000000]))');
      expect(set.mock.calls.length).toBeLessThan(VALUE_LIMITS.keys + 1000);
    } finally {
      set.mockRestore();
    }
  });

  it('is no array of 300,000 elements that are unfolded', () => {
    const code = '$many = Array(Integer[1, 300000]) notice(length([*$many, *$many]))';
    expect(compileSource(code)).toMatchObject({ status: 'ok', log: [{ message: '600000' }] });
  });

  it('may have as much as the limit', () => {
    const code = "notice(length(sprintf('%5000000s', '')), length(Array(Integer[1, 100000])))";
    expect(compileSource(code)).toMatchObject({ status: 'ok', log: [{ message: '5000000 100000' }] });
  });
});
