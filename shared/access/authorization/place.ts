import { NamedError } from '../../util/named-error.ts';
/** A rule or the rules file is invalid; the message gives the position and the reason. */
export class InvalidAuthorization extends NamedError {}

/** A map in the rules file. */
export type RuleSection = Readonly<Record<string, unknown>>;

/** A position in a rules file. Error messages begin with it. */
export class Place {
  readonly #file: string;
  readonly #path: string;

  /** The file itself, or a `path` in it like `authorization.rules[2]`. */
  constructor(file: string, path = '') {
    this.#file = file;
    this.#path = path;
  }

  /** The position of a key in this map. */
  atKey(name: string): Place {
    return new Place(this.#file, this.#path === '' ? name : `${this.#path}.${name}`);
  }

  /** The position of an item in this list; `name` is the item's own name. */
  atItem(index: number, name: unknown = null): Place {
    const called = typeof name === 'string' && name !== '' ? ` '${name}'` : '';
    return new Place(this.#file, `${this.#path}[${index}]${called}`);
  }

  fail(message: string): InvalidAuthorization {
    return new InvalidAuthorization(`${this.#file}: ${this.#path === '' ? '' : `${this.#path}: `}${message}`);
  }

  /**
   * Reads the map at this position; if `known` is given, other keys are rejected. Throws
   * InvalidAuthorization.
   */
  // Differs from Puppet: it ignores unknown keys, so a rule with a misspelt key allows more than
  // was meant.
  readSection(value: unknown, known: readonly string[] | null = null): RuleSection {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.fail('it should be a map');
    const other = known && Object.keys(value).find((key) => !known.includes(key));
    if (other) throw this.fail(`'${other}' is not one of its settings: ${known.join(', ')}`);
    return { ...value };
  }

  /** Reads one string or a list of strings. Throws InvalidAuthorization. */
  readTexts(value: unknown): readonly string[] {
    const all: readonly unknown[] = [value].flat();
    if (all.every((one) => typeof one === 'string')) return all;
    throw this.fail('it should be a string or a list of strings');
  }
}
