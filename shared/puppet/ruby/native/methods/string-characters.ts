import { fallBack } from '../fallback.ts';
import { assertText, blockOf, type MethodCall, type RubyMethod, textArgument, withoutArguments } from '../runtime.ts';

type StringMethod = RubyMethod<string>;

const ASCII = /^\p{ASCII}*$/u;

/** Expands a character set such as `a-z_`, when it is a plain one. */
function charactersIn(set: string): readonly string[] {
  if (set === '' || !ASCII.test(set) || /[\^\\\0]/.test(set)) fallBack('a set of characters');
  const chars = set.replace(/([a-z])-([a-z])|([A-Z])-([A-Z])|([0-9])-([0-9])/g, (range) => {
    const [from, to] = [range.charCodeAt(0), range.charCodeAt(2)];
    if (from > to) fallBack('a range of characters');
    return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index));
  });
  return chars.includes('-') ? fallBack('a range of characters') : [...chars];
}

function setOf(call: MethodCall): ReadonlySet<string> {
  return new Set(charactersIn(textArgument(call)));
}

function translate(self: string, { args, block }: MethodCall): string {
  if (args.length !== 2 || block) fallBack('arguments');
  const from = charactersIn(assertText(args[0]));
  if (new Set(from).size < from.length) fallBack('a character that is there twice');
  const to = assertText(args[1]) === '' ? [] : charactersIn(assertText(args[1]));
  const table = new Map(from.map((char, index) => [char, to[index] ?? to.at(-1) ?? '']));
  return Array.from(self, (char) => table.get(char) ?? char).join('');
}

function squeeze(self: string, call: MethodCall): string {
  const set = call.args.length === 0 ? null : setOf(call);
  if (call.block) fallBack('a block');
  const chars = Array.from(self);
  return chars.filter((char, index) => char !== chars[index - 1] || (set && !set.has(char))).join('');
}

function eachOf(parts: (self: string) => readonly string[]): StringMethod {
  return (self, call) => {
    const block = blockOf(call);
    for (const part of parts(self)) block.call([part]);
    return self;
  };
}

function swapCase(self: string): string {
  if (!ASCII.test(self)) fallBack('the case of letters');
  return self.replace(/[a-zA-Z]/g, (char) => (char < 'a' ? char.toLowerCase() : char.toUpperCase()));
}

function parseHexadecimal(self: string): bigint {
  const [, sign, digits] = /^(-?)(?:0x)?([0-9a-f]+)$/i.exec(self) ?? fallBack('a hexadecimal number');
  return BigInt(`0x${digits}`) * (sign ? -1n : 1n);
}

export const CHARACTER_METHODS: readonly (readonly [string, StringMethod])[] = [
  ['tr', translate],
  ['squeeze', squeeze],
  [
    'delete',
    (self, call) => {
      const set = setOf(call);
      return Array.from(self)
        .filter((char) => !set.has(char))
        .join('');
    },
  ],
  [
    'count',
    (self, call) => {
      const set = setOf(call);
      return BigInt(Array.from(self).filter((char) => set.has(char)).length);
    },
  ],
  ['swapcase', withoutArguments(swapCase)],
  ['each_char', eachOf((self) => Array.from(self))],
  ['hex', withoutArguments(parseHexadecimal)],
  ['bytesize', withoutArguments((self) => BigInt(Buffer.byteLength(self, 'utf8')))],
];
