import type { SeededChance } from './seeded-chance.ts';

/** Nesting of generated code; each level multiplies its size. */
const DEEPEST = 4;

const NAMES = ['a', 'b', 'c', 'foo', 'foo::bar', '::foo', '_private', 'title', 'name', 'facts'];
const TYPES = [
  'Integer',
  'String',
  'Array',
  'Hash',
  'Any',
  'Optional',
  'Variant',
  'Enum',
  'Struct',
  'Callable',
  'Type',
];
const CALLS = [
  'notice',
  'each',
  'map',
  'reduce',
  'filter',
  'with',
  'lookup',
  'fail',
  'sprintf',
  'split',
  'join',
  'merge',
];
const MORE_CALLS = ['flatten', 'unique', 'dig', 'then', 'type', 'epp', 'inline_epp', 'include', 'new', 'assert_type'];
const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '<<',
  '>>',
  '==',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  '=~',
  '!~',
  'in',
  'and',
  'or',
];
const ARROWS = ['->', '~>', '<-', '<~'];
const FORMATS = ["'%s'", "'%d'", "'%-5s'", "'%#x'", "'%p'", "'%.2f'", "'%<a>s'", "'%c'", "'%'"];
const KEYWORDS = ['if', 'unless', 'case', 'class', 'define', 'node', 'function', 'type', 'import', 'default', 'undef'];

/** Code that follows Puppet's grammar in most places. It has no loop without a small bound. */
export function generateManifest(chance: SeededChance): string {
  return new Grammar(chance).makeProgram();
}

/** One expression, as templates have it. */
export function generateExpression(chance: SeededChance): string {
  return new Grammar(chance).makeExpression();
}

class Grammar {
  readonly #chance: SeededChance;

  constructor(chance: SeededChance) {
    this.#chance = chance;
  }

  makeProgram(): string {
    return `${this.#statements(0)}\n`;
  }

  makeExpression(): string {
    return this.#expression(2);
  }

  #pick(...choices: readonly (() => string)[]): string {
    return this.#chance.of(choices)();
  }

  #list(most: number, make: () => string, separator: string): string {
    return this.#chance.times(most, make).join(separator);
  }

  #statements(depth: number): string {
    return this.#list(depth === 0 ? 6 : 3, () => this.#statement(depth), '\n');
  }

  #statement(depth: number): string {
    if (depth > DEEPEST) return this.#expression(depth);
    const next = depth + 1;
    return this.#pick(
      () => `$${this.#name()} = ${this.#expression(next)}`,
      () => this.#resource(next),
      () => this.#conditional(next),
      () => this.#definition(next),
      () => this.#collector(next),
      () => `${this.#reference()} ${this.#chance.of(ARROWS)} ${this.#reference()}`,
      () => `${this.#reference()} { ${this.#attributes(next)} }`,
      () => `notice(${this.#expression(next)})`,
      () => this.#expression(next),
    );
  }

  #conditional(depth: number): string {
    const block = () => `{ ${this.#statements(depth)} }`;
    return this.#pick(
      () => `if ${this.#expression(depth)} ${block()} elsif ${this.#expression(depth)} ${block()} else ${block()}`,
      () => `unless ${this.#expression(depth)} ${block()}`,
      () =>
        `case ${this.#expression(depth)} { ${this.#list(3, () => `${this.#expression(depth)}: ${block()}`, ' ')} default: {} }`,
      () =>
        `${this.#expression(depth)} ? { ${this.#list(3, () => `${this.#expression(depth)} => ${this.#expression(depth)}`, ', ')} }`,
    );
  }

  #definition(depth: number): string {
    const kind = this.#chance.of(['class', 'define', 'function', 'type', 'node', 'plan']);
    const body = `{ ${this.#statements(depth)} }`;
    if (kind === 'type') return `type ${this.#typeName()} = ${this.#type(depth)}`;
    if (kind === 'node') return `node ${this.#chance.of(['default', "'a.b'", '/a.b/'])} ${body}`;
    const parameters = this.#list(3, () => `${this.#type(depth)} $${this.#name()} = ${this.#expression(depth)}`, ', ');
    const result = kind === 'function' && this.#chance.often(0.5) ? ` >> ${this.#type(depth)}` : '';
    return `${kind} ${this.#name()} (${parameters})${result} ${body}`;
  }

  #resource(depth: number): string {
    const prefix = this.#chance.of(['', '', '', '@', '@@']);
    const title = this.#pick(
      () => `'${this.#name()}'`,
      () => this.#expression(depth),
      () => 'default',
    );
    return `${prefix}${this.#chance.of(['notify', 'file', 'exec', 'foo', 'user', 'class'])} { ${title}: ${this.#attributes(depth)} }`;
  }

  #attributes(depth: number): string {
    const name = () => this.#chance.of(['message', 'ensure', 'content', 'require', 'tag', 'noop', '*', this.#name()]);
    return this.#list(3, () => `${name()} ${this.#chance.of(['=>', '=>', '+>'])} ${this.#expression(depth)}`, ', ');
  }

  #collector(depth: number): string {
    const query = this.#chance.often(0.5)
      ? ''
      : `${this.#name()} ${this.#chance.of(['==', '!='])} ${this.#expression(depth)}`;
    const [open, close] = this.#chance.of([
      ['<|', '|>'],
      ['<<|', '|>>'],
    ] as const);
    return `${this.#typeName()} ${open} ${query} ${close} ${this.#chance.often(0.3) ? `{ ${this.#attributes(depth)} }` : ''}`;
  }

  #expression(depth: number): string {
    if (depth > DEEPEST || this.#chance.often(0.35)) return this.#leaf();
    const next = depth + 1;
    return this.#pick(
      () => `${this.#expression(next)} ${this.#chance.of(OPERATORS)} ${this.#expression(next)}`,
      () => `(${this.#expression(next)})`,
      () => `[${this.#list(4, () => this.#expression(next), ', ')}]`,
      () => `{ ${this.#list(3, () => `${this.#leaf()} => ${this.#expression(next)}`, ', ')} }`,
      () => `${this.#expression(next)}[${this.#list(2, () => this.#expression(next), ', ')}]`,
      () => `${this.#chance.of(['!', '-', '*'])}${this.#expression(next)}`,
      () => this.#call(next),
      () => this.#text(next),
      () => this.#type(next),
      () => this.#conditional(next),
    );
  }

  #call(depth: number): string {
    const name = this.#chance.of([...CALLS, ...MORE_CALLS]);
    const block = this.#chance.often(0.4)
      ? ` |${this.#list(2, () => `$${this.#name()}`, ', ')}| { ${this.#statements(depth)} }`
      : '';
    const all = this.#list(3, () => this.#expression(depth), ', ');
    return this.#chance.often(0.5) ? `${name}(${all})${block}` : `${this.#expression(depth)}.${name}(${all})${block}`;
  }

  #text(depth: number): string {
    return this.#pick(
      () => `"a \${${this.#expression(depth)}} b"`,
      () => `"\${${this.#name()}}$${this.#name()}\\n\\u{1F600}\\q"`,
      () => `@("END"/L)\n  a $${this.#name()} \\\n  | END\n`,
      () => `@(END)\n text\n END\n`,
      () => this.#chance.of(FORMATS),
    );
  }

  #type(depth: number): string {
    const name = this.#chance.of(TYPES);
    if (depth > DEEPEST || this.#chance.often(0.4)) return name;
    return `${name}[${this.#list(3, () => (this.#chance.often(0.5) ? this.#type(depth + 1) : this.#leaf()), ', ')}]`;
  }

  #reference(): string {
    return `${this.#typeName()}['${this.#name()}']`;
  }

  #typeName(): string {
    return this.#chance.of(['Notify', 'File', 'Foo', 'Foo::Bar', 'Class', 'User', 'Resource']);
  }

  #leaf(): string {
    return this.#pick(
      () => `$${this.#name()}`,
      () => String(this.#chance.below(100)),
      () =>
        this.#chance.of(['0x1f', '017', '1.5', '1e3', '-3', "''", '""', "'a b'", '/a.*b/', 'undef', 'default', 'true']),
      () => `'${this.#name()}'`,
      () => this.#chance.of(KEYWORDS),
      () => this.#chance.of(NAMES),
    );
  }

  #name(): string {
    return this.#chance.of(NAMES);
  }
}
