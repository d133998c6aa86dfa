import { createHmac } from 'node:crypto';
import { uuidFromBytes } from '../../util/uuid.ts';
import { isWireMap, numberKind, writeWireJson } from '../commands/wire-json.ts';
import type { AnonymizationProfile, ValueKind, ValuePlace } from './anonymization-profiles.ts';

/** Lengths of replacements, as in PuppetDB. */
const LENGTHS: Partial<Record<ValueKind, number>> = { title: 15, 'fact-name': 15, environment: 15, type: 10 };
const VALUE_LENGTH = 30;
const NAME_LENGTH = 10;
/** Words that could be certnames. */
const WORD = /[\w.-]+/g;

/**
 * Replaces values of one export: an equal value of a kind gets an equal replacement, which depends
 * on a key that nobody keeps. It needs no memory but the names of all nodes.
 */
export class Anonymizer {
  readonly #profile: AnonymizationProfile;
  readonly #key: Uint8Array;
  readonly #certnames: ReadonlySet<string>;

  /** `key`: 32 random bytes. A name among `certnames` is replaced in other values, too. */
  constructor(profile: AnonymizationProfile, key: Uint8Array, certnames: ReadonlySet<string>) {
    [this.#profile, this.#key, this.#certnames] = [profile, key, certnames];
  }

  /** The replacement of a text; a text that stays has other names in place of those of nodes. */
  text(kind: ValueKind, text: string, place: ValuePlace = {}): string {
    if (kind === 'title' && this.#certnames.has(text)) return this.#keepText(text);
    return this.#profile(kind, place) ? this.#replaceText(kind, text) : this.#keepText(text);
  }

  /** Like `text`, of a member that may be absent or of another type. */
  member(kind: ValueKind, value: unknown, place: ValuePlace = {}): unknown {
    if (typeof value === 'string') return this.text(kind, value, place);
    return value === null || value === undefined || !this.#profile(kind, place) ? value : this.#replace(kind, value);
  }

  /**
   * A value with all that is in it. Members of hashes have their own names as `place`, so that a
   * secret in a hash counts as one.
   */
  value(kind: ValueKind, value: unknown, place: ValuePlace): unknown {
    if (this.#profile(kind, place)) return this.#replace(kind, value);
    if (typeof value === 'string') return this.#keepText(value);
    if (Array.isArray(value)) return value.map((one) => this.value(kind, one, place));
    if (!isWireMap(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.#keepText(name), this.value(kind, one, { ...place, name })]),
    );
  }

  /** A type of resources, in lower case as tags and metrics have it. */
  tag(text: string): string {
    if (this.#certnames.has(text)) return this.#keepText(text);
    const type = text
      .split('::')
      .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
      .join('::');
    return this.#profile('type', { type }) ? this.#replaceText('type', type).toLowerCase() : this.#keepText(text);
  }

  #keepText(text: string): string {
    if (!this.#profile('node', {})) return text;
    return text.replace(WORD, (word) => {
      const name = word.replace(/\.+$/, '');
      return this.#certnames.has(name) ? this.#replaceText('node', name) + word.slice(name.length) : word;
    });
  }

  #replace(kind: ValueKind, value: unknown): unknown {
    if (typeof value === 'string') return this.#replaceText(kind, value);
    if (Array.isArray(value)) return value.map((one) => this.#replace(kind, one));
    if (isWireMap(value)) {
      const members = Object.entries(value).map(
        ([name, one]) => [letters(this.#digest('key', name), NAME_LENGTH), this.#replace(kind, one)] as const,
      );
      return Object.fromEntries(members);
    }
    if (value === null || value === undefined) return value;
    const digest = this.#digest(kind, writeWireJson(value));
    if (typeof value === 'boolean') return (digest[0] ?? 0) % 2 === 0;
    const number = digest.readUInt32BE(0);
    return numberKind(value) === 'float' ? number / 2 ** 32 : number % 300;
  }

  #replaceText(kind: ValueKind, text: string): string {
    if (text === '') return '';
    const digest = this.#digest(kind, text);
    if (kind === 'node') return `${letters(digest, 8)}.${letters(digest.subarray(8), 6)}.test`;
    if (kind === 'transaction') return uuidFromBytes(digest.subarray(0, 16));
    if (kind === 'file') return `/${letters(digest, 8)}/${letters(digest.subarray(8), 8)}.pp`;
    const word = letters(digest, LENGTHS[kind] ?? VALUE_LENGTH);
    return kind === 'type' ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  }

  #digest(kind: ValueKind | 'key', text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${kind}\0${text}`).digest();
  }
}

/** Letters of the first `count` bytes. */
function letters(bytes: Uint8Array, count: number): string {
  return Array.from(bytes.subarray(0, count), (byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
