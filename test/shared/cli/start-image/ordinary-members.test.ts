import { describe, expect, it } from 'vitest';
import { withOrdinaryMembers } from '../../../../shared/cli/start-image/ordinary-members.ts';

describe('private members', () => {
  it('become ordinary ones, whatever they are', () => {
    const source = [
      'export class Counter {',
      '  static #made = 0;',
      '  readonly #step: number;',
      '  #count = 0;',
      '  constructor(step: number) { this.#step = step; Counter.#made++; }',
      '  get #next(): number { return this.#count + this.#step; }',
      '  async #tick<T>(other?: Counter): Promise<void> { this.#count = other?.#next ?? list(this).#next; }',
      '}',
    ].join('\n');
    expect(withOrdinaryMembers(source, '7')).toBe(
      [
        'export class Counter {',
        '  static made$7 = 0;',
        '  readonly step$7: number;',
        '  count$7 = 0;',
        '  constructor(step: number) { this.step$7 = step; Counter.made$7++; }',
        '  get next$7(): number { return this.count$7 + this.step$7; }',
        '  async tick$7<T>(other?: Counter): Promise<void> { this.count$7 = other?.next$7 ?? list(this).next$7; }',
        '}',
      ].join('\n'),
    );
  });

  it.each([
    ['are asked for', 'class A {\n  #a = 1;\n  is(other: A) { return #a in other; }\n}'],
    [
      'are of the same name in a class and one that extends it',
      'class A {\n  #a = 1;\n}\nclass B extends A {\n  #a = 2;\n}',
    ],
    ['are of another file', 'class A {\n  a(b: B) { return b.#b; }\n}'],
    ['stand in a text too', "class A {\n  #a = 'see A #a';\n}"],
  ])('stay where they %s', (_, source) => {
    expect(withOrdinaryMembers(source, '1')).toBe(source);
  });

  it('of classes that know nothing of each other may have the same name', () => {
    const source = 'class A {\n  #a = 1;\n}\nclass B {\n  #a = 2;\n}';
    expect(withOrdinaryMembers(source, '1')).toBe('class A {\n  a$1 = 1;\n}\nclass B {\n  a$1 = 2;\n}');
  });
});
