import { createHash } from 'node:crypto';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import { implicitString } from '../support/conversion.ts';

/** Defines a function that returns the hexadecimal digest of a text. */
function defineDigestFunction(name: string, algorithm: string): PuppetFunction {
  return defineLegacyFunction(name, {
    arity: 1,
    rvalue: true,
    body: (_, [text = null]) =>
      createHash(algorithm)
        .update(text instanceof BytesText ? text.bytes : implicitString(text))
        .digest('hex'),
  });
}

export const DIGEST_FUNCTIONS: readonly PuppetFunction[] = [
  // Its algorithm is the setting `digest_algorithm`, sha256 by default.
  defineDigestFunction('digest', 'sha256'),
  ...['md5', 'sha1', 'sha256'].map((name) => defineDigestFunction(name, name)),
];
