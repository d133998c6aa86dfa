/** A rule, or the file of rules, cannot be understood; the message says where and why. */
export class InvalidAuthorization extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidAuthorization';
  }
}

/** A map of the file. */
export type RuleSection = Readonly<Record<string, unknown>>;

/** Where something stands in a file of rules: messages begin with it. */
export class Place {
  readonly #file: string;
  readonly #path: string;

  /** The file itself, or a `path` in it like `authorization.rules[2]`. */
  constructor(file: string, path = '') {
    this.#file = file;
    this.#path = path;
  }

  /** A key of the map that stands here. */
  atKey(name: string): Place {
    return new Place(this.#file, this.#path === '' ? name : `${this.#path}.${name}`);
  }

  /** An item of the list that stands here; `name` is what it calls itself. */
  atItem(index: number, name: unknown = null): Place {
    const called = typeof name === 'string' && name !== '' ? ` '${name}'` : '';
    return new Place(this.#file, `${this.#path}[${index}]${called}`);
  }

  fail(message: string): InvalidAuthorization {
    return new InvalidAuthorization(`${this.#file}: ${this.#path === '' ? '' : `${this.#path}: `}${message}`);
  }

  /**
   * The map that stands here, with none but `known` keys where those are given. Throws
   * InvalidAuthorization.
   */
  // Differs from Puppet: it reads over keys that it does not know, and a rule with a misspelt one
  // says more than was meant.
  readSection(value: unknown, known: readonly string[] | null = null): RuleSection {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.fail('it should be a map');
    const other = known && Object.keys(value).find((key) => !known.includes(key));
    if (other) throw this.fail(`'${other}' is not one of its settings: ${known.join(', ')}`);
    return { ...value };
  }

  /** One string, or a list of them. Throws InvalidAuthorization. */
  readTexts(value: unknown): readonly string[] {
    const all: readonly unknown[] = [value].flat();
    if (all.every((one) => typeof one === 'string')) return all;
    throw this.fail('it should be a string or a list of strings');
  }
}
