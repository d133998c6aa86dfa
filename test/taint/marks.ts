import { randomInt } from 'node:crypto';

/** A text that must stay with its owner. */
export interface Mark {
  /** The way by which it enters. */
  readonly name: string;
  readonly text: string;
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const LENGTH = 22;
/** Behind the letters: what each encoding writes in another way. */
const SPECIAL = '"é&/+\\ ';

const randomText = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** The bytes to look for: a text as it is, in hexadecimal digits, and in Base64. */
export function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last digits hold bits of the neighbours, too.
    const own = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...new Set([text, hex, hex.toUpperCase(), ...base64])].map((form) => Buffer.from(form));
}

/** The secrets of a test, and where they are in bytes. */
export class Marks {
  readonly #forms = new Map<string, readonly Buffer[]>();
  readonly #texts = new Map<string, string>();
  /** All made texts begin with these letters: one search finds any of them. */
  readonly #stem = randomText(12);
  readonly #stemForms = formsOf(this.#stem);

  get names(): readonly string[] {
    return [...this.#texts.keys()];
  }

  /** The text of a mark; it is made when it is asked for first. */
  of(name: string): string {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    return this.add(name, this.#stem + randomText(LENGTH));
  }

  /** A text that begins with a mark, and goes on with letters that encodings change. */
  specialOf(name: string): string {
    return this.of(name) + SPECIAL;
  }

  /** Takes a text that the product made, such as a token. Line breaks of a key are left out. */
  add(name: string, text: string): string {
    this.#texts.set(name, text);
    this.#forms.set(name, formsOf(text));
    return text;
  }

  /** The names of the marks that the bytes hold, in whatever form. */
  findIn(bytes: Buffer): ReadonlySet<string> {
    const hasMade = this.#stemForms.some((form) => bytes.includes(form));
    const found = [...this.#forms].filter(([name, forms]) => {
      const isMade = this.#texts.get(name)?.startsWith(this.#stem) === true;
      return (hasMade || !isMade) && forms.some((form) => bytes.includes(form));
    });
    return new Set(found.map(([name]) => name));
  }
}
