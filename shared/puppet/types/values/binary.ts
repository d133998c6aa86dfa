import { bytesOf } from '../../../util/escaped-bytes.ts';
import type { RichKind } from './value-kinds.ts';
import { RichValue } from './values.ts';

/** A string of bytes. `toString()` is its strict Base64. */
export class Binary extends RichValue {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  get valueKind(): RichKind {
    return 'Binary';
  }

  static fromBase64(text: string): Binary {
    return new Binary(Buffer.from(text, 'base64'));
  }

  static fromText(text: string): Binary {
    return new Binary(bytesOf(text));
  }

  equalityKey(): string {
    return `binary:${this.toString()}`;
  }

  override toString(): string {
    return Buffer.from(this.bytes).toString('base64');
  }

  /** Base64 with a line break after every 60 characters and at the end, like Ruby's `encode64`. */
  toRelaxedBase64(): string {
    return this.toString().replace(/.{1,60}/g, '$&\n');
  }

  toUrlSafeBase64(): string {
    return this.toString().replaceAll('+', '-').replaceAll('/', '_');
  }
}
