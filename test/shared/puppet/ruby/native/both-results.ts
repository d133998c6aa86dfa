import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { CompileWorld } from '../../../../../shared/puppet/ruby/native/compile-world.ts';
import { keepLegacyFunctions } from '../../../../../shared/puppet/ruby/native/legacy-programs.ts';
import { NativeDefects } from '../../../../../shared/puppet/ruby/native/native-defects.ts';
import { compileTemplate, type TemplateProgram } from '../../../../../shared/puppet/ruby/native/native-templates.ts';
import {
  leavesToRuby,
  Transaction,
  type TransactionContext,
} from '../../../../../shared/puppet/ruby/native/transaction.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { RubySymbol } from '../../../../../shared/puppet/serialization/yaml.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';
import type { RecordedAnswers } from '../../../../helpers/recorded-answers.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../../helpers/ruby-callbacks.ts';

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

/** Tells byte strings in a result from others. Code here that gives one cannot show it. */
const SHOW = `is_bytes = ->(it) do
  next it.encoding == Encoding::BINARY if it.is_a?(String)
  it.is_a?(Hash) ? is_bytes.(it.to_a) : it.is_a?(Array) && it.any?(&is_bytes)
end
show = ->(it) { is_bytes.(it) ? "#{it.inspect} (bytes)" : it.inspect }`;

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

/** Ruby, whose answers are recorded, and what stands for it, for expressions. */
export class BothResults {
  readonly #answers: RecordedAnswers;
  readonly #ruby = createWasmRuby({ rendersAll: true, timeLimitMs: 60_000 });
  readonly #programs = new Map<string, TemplateProgram>();

  constructor(answers: RecordedAnswers) {
    this.#answers = answers;
  }

  close(): void {
    this.#ruby.close();
    this.#answers.finish();
  }

  compare({ code, tuples }: Expression): Comparison {
    const input = [code, textOf(tuples)];
    const ask = () => this.#inRuby(code, tuples);
    const theirs = this.#answers.get(input, ask);
    const differing: string[] = [];
    let given = 0;
    tuples.forEach((tuple, index) => {
      const ours = this.here(`<% a, b, c = @a, @b, @c %><%= (${code}).inspect %>`, tuple);
      if (ours === null) return;
      given += 1;
      if (ours !== theirs[index]) differing.push(`${code} of ${shown(tuple)}: ${ours}, not ${theirs[index]}`);
    });
    if (differing.length > 0) this.#answers.confirm(input, ask);
    return { given, differing };
  }

  /** What a template gives here, null when that is left to Ruby. */
  here(text: string, [a = null, b = null, c = null]: readonly Value[] = []): string | null {
    const context: TransactionContext = {
      isAltered: false,
      legacyFunctions: keepLegacyFunctions(new NativeDefects()),
      drawNumber: undefined,
      callPuppet: (_name, _args, _where, _transaction, call) => call(),
    };
    const transaction = new Transaction(context, false, false);
    const variable = (name: string) => ({ a, b, c })[name];
    try {
      this.#programs.set(text, this.#programs.get(text) ?? compileTemplate(text));
      const callbacks = withCallbacks(NO_CALLBACKS, { getVariable: variable });
      const world = new CompileWorld(transaction, callbacks, null);
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
  inRuby(text: string, values: readonly Value[] = []): string | null {
    return this.#answers.get([text, textOf([values])], () => this.#render(text, values.map(copied)));
  }

  #inRuby(code: string, tuples: readonly (readonly Value[])[]): readonly string[] {
    const body = `a, b, c = *tuple; begin; show.(${code}); rescue StandardError; '${ERROR}'; end`;
    const text = `<% require 'json'; ${SHOW} %><%= @a.map { |tuple| ${body} }.to_json %>`;
    return JSON.parse(this.#render(text, [tuples.map((tuple) => tuple.map(copied))]) ?? '[]');
  }

  #render(text: string, [a = null, b = null, c = null]: readonly Value[]): string | null {
    try {
      const callbacks = withCallbacks(NO_CALLBACKS, { getVariable: (name: string) => ({ a, b, c })[name] });
      return String(this.#ruby.renderTemplate({ path: '/t.erb', text }, callbacks));
    } catch {
      return null;
    }
  }
}

/** What Ruby changes of a value is changed here too: not for the next expression. */
function copied(value: Value): Value {
  if (Array.isArray(value)) return value.map(copied);
  if (!(value instanceof PuppetHash)) return value;
  return PuppetHash.of(Array.from(value, ([key, item]) => [copied(key), copied(item)]));
}

/**
 * Texts of lists that were asked for before: there are thousands of tuples in one, and few lists.
 */
const texts = new WeakMap<readonly (readonly Value[])[], string>();

/** Tells values apart to the last: signs of zeros, kinds of numbers, what has private members. */
function textOf(tuples: readonly (readonly Value[])[]): string {
  const text =
    texts.get(tuples) ??
    createHash('sha256')
      .update(JSON.stringify(tuples.map(described)))
      .digest('hex');
  texts.set(tuples, text);
  return text;
}

function described(value: Value | readonly Value[]): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (value instanceof PuppetHash) return { hash: Array.from(value, (entry) => entry.map(described)) };
  if (value instanceof Sensitive) return { sensitive: described(value.unwrap()) };
  return typeof value === 'string' ? value : { value: inspect(value) };
}

function shown(tuple: readonly Value[]): string {
  return JSON.stringify(tuple, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof PuppetHash ? { hash: [...value] } : value,
  );
}

const products: { readonly lists: readonly (readonly Value[])[]; readonly tuples: Value[][] }[] = [];

/** All pairs, or all triples, of what is in the lists; the same array for the same lists. */
export function product(...lists: readonly (readonly Value[])[]): Value[][] {
  const known = products.find(
    (one) => one.lists.length === lists.length && one.lists.every((list, index) => list === lists[index]),
  );
  const tuples =
    known?.tuples ??
    lists.reduce<Value[][]>((all, list) => all.flatMap((tuple) => list.map((value) => [...tuple, value])), [[]]);
  if (known === undefined) products.push({ lists, tuples });
  return tuples;
}
