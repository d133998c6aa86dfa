import { inspectString } from '../../puppet/ruby-core/ruby-inspect.ts';

/** The text in place of a secret. */
const MASK = '[Sensitive]';
/** Shorter secrets would mask ordinary words. */
const LEAST_CHARACTERS = 4;

/** Removes the values of a plan's sensitive parameters from what is stored and shown. */
export class SecretMask {
  readonly #secrets: readonly string[];

  /** `values` may be any JSON; the texts in them are the secrets. */
  constructor(values: readonly unknown[]) {
    const found = values.flatMap(textsIn).flatMap(formsOf);
    // A secret may contain another one.
    this.#secrets = [...new Set(found)].sort((one, other) => other.length - one.length);
  }

  /** Whether a JSON value has a secret anywhere. */
  isIn(value: unknown): boolean {
    return this.#secrets.length > 0 && textsIn(value).some((text) => this.#secrets.some((one) => text.includes(one)));
  }

  text(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
  }

  /** The same JSON value without secrets, also in names of keys. */
  json(value: unknown): unknown {
    if (this.#secrets.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.json(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.json(one)] as const));
  }
}

/** A secret as code prints it: as it is, its lines, and as a literal of JSON, Ruby or Puppet. */
function formsOf(secret: string): readonly string[] {
  const parts = [secret, ...secret.split('\n')].filter((text) => text.length >= LEAST_CHARACTERS);
  return parts.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    inspectString(text).slice(1, -1),
    text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
  ]);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)]);
}
