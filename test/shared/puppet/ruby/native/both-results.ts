import { compileTemplate, type TemplateProgram } from '../../../../../shared/puppet/ruby/native/template-program.ts';
import { leavesToRuby, Transaction } from '../../../../../shared/puppet/ruby/native/transaction.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { RubySymbol } from '../../../../../shared/puppet/serialization/yaml.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';
import { NO_CALLBACKS } from '../../../../helpers/ruby-callbacks.ts';

/** Values of all kinds, with what is special among each. */
export const VALUES: readonly Value[] = [
  null,
  true,
  false,
  '',
  'a',
  'Abc Def',
  ' pad \t\n',
  'line1\nline2\n',
  'a,b,,c,,',
  ',',
  ' ',
  '10',
  '-7',
  '3.75',
  '1_000',
  '0x1f',
  '010',
  ' 42abc',
  'é',
  'ÄÖü ßÿ',
  '日本',
  '😀x',
  'a\u00a0b',
  'foo::Bar_baz',
  '\\1 \\0 \\',
  '.*',
  '%05d|%s',
  '%-8.3f|%x',
  'a\r\nb\r\n',
  'tab\tq"uote\'#{x}',
  'z\u0000\u0001\u007f',
  0n,
  1n,
  -1n,
  7n,
  -13n,
  255n,
  4611686018427387904n,
  -9223372036854775808n,
  1.5,
  -0.5,
  2.675,
  -0,
  0.1,
  1e20,
  1e-7,
  123456789.123,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  [],
  ['b', 'a', 'c', 'a'],
  ['b', 'B', 'á', 'z', 'a b', '😀', '\uffee'],
  [3n, 1n, 2n],
  [1n, 'a', null],
  [
    [2n, 'b'],
    [1n, 'a'],
  ],
  [null, null, 1n],
  [1n, 1, 2.5],
  [['x', ['y', [null, '']]]],
  [true, false],
  new PuppetHash(),
  PuppetHash.of([
    ['b', 1n],
    ['a', 2n],
  ]),
  PuppetHash.of([
    ['k', PuppetHash.of([['n', [1n, 2n]]])],
    ['z', null],
  ]),
  PuppetHash.of([
    [1n, 'one'],
    ['two', 2n],
    ['é', 'ü'],
  ]),
  [PuppetHash.of([['name', 'x']]), PuppetHash.of([['name', 'y']])],
  new RubySymbol('sym'),
  DEFAULT,
  new Sensitive('secret'),
];

const ERROR = 'raises';

/** An expression of `a`, `b` and `c`, and the values that those have. */
export interface Expression {
  readonly code: string;
  readonly tuples: readonly (readonly Value[])[];
}

/** How many results were given here, and those that differ from Ruby's. */
export interface Comparison {
  readonly given: number;
  readonly differing: readonly string[];
}

/** Ruby and what stands for it, for expressions. */
export class BothResults {
  readonly #ruby = createWasmRuby({ rendersAll: true, timeLimitMs: 60_000 });
  readonly #programs = new Map<string, TemplateProgram>();

  close(): void {
    this.#ruby.close();
  }

  compare({ code, tuples }: Expression): Comparison {
    const theirs = this.#inRuby(code, tuples);
    const differing: string[] = [];
    let given = 0;
    tuples.forEach((tuple, index) => {
      const ours = this.here(`<% a, b, c = @a, @b, @c %><%= (${code}).inspect %>`, tuple);
      if (ours === null) return;
      given += 1;
      if (ours !== theirs[index]) differing.push(`${code} of ${shown(tuple)}: ${ours}, not ${theirs[index]}`);
    });
    return { given, differing };
  }

  /** What a template gives here, null when that is left to Ruby. */
  here(text: string, [a = null, b = null, c = null]: readonly Value[] = []): string | null {
    const transaction = new Transaction({
      isAltered: () => false,
      isWithin: false,
      isInRuby: false,
      legacyFunction: () => null,
    });
    const variable = (name: string) => ({ a, b, c })[name];
    try {
      this.#programs.set(text, this.#programs.get(text) ?? compileTemplate(text));
      const world = transaction.worldOf({ ...NO_CALLBACKS, getVariable: variable });
      const rendered = this.#programs.get(text)?.render(world, variable, transaction.owned) ?? null;
      transaction.check();
      return rendered;
    } catch (error) {
      if (leavesToRuby(error)) return null;
      throw error;
    } finally {
      transaction.rollBack();
    }
  }

  /** What it gives in Ruby; null when it raises an error. */
  inRuby(text: string, [a = null, b = null, c = null]: readonly Value[] = []): string | null {
    try {
      const callbacks = { ...NO_CALLBACKS, getVariable: (name: string) => ({ a, b, c })[name] };
      return this.#ruby.renderTemplate({ path: '/t.erb', text }, callbacks);
    } catch {
      return null;
    }
  }

  #inRuby(code: string, tuples: readonly (readonly Value[])[]): readonly string[] {
    const body = `a, b, c = *tuple; begin; (${code}).inspect; rescue StandardError; '${ERROR}'; end`;
    const text = `<% require 'json' %><%= @a.map { |tuple| ${body} }.to_json %>`;
    return JSON.parse(this.inRuby(text, [tuples]) ?? '[]');
  }
}

function shown(tuple: readonly Value[]): string {
  return JSON.stringify(tuple, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof PuppetHash ? { hash: [...value] } : value,
  );
}

/** All pairs, or all triples, of what is in the lists. */
export function product(...lists: readonly (readonly Value[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (tuples, list) => tuples.flatMap((tuple) => list.map((value) => [...tuple, value])),
    [[]],
  );
}
