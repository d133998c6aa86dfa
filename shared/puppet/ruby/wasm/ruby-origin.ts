/** Parts of Ruby's module and image, by digest: their provenance. */
import { createHash } from 'node:crypto';
import { MachineryFault } from '../../errors/machinery-fault.ts';
import { RUBY_ARGUMENTS } from './wasm-machine.ts';

export const RUBY_PACKAGE = '@ruby/3.2-wasm-wasi';
/** Raised when another module is made of the same package, or its file has another form. */
const MODULE_FORM = 3;
/** Raised when the image's form changes, what of Ruby's library is in it, or what it is made by. */
const IMAGE_FORM = 9;

/** A module of the package: Ruby alone, or with the embedded standard library. */
export type RubyModuleFile = 'ruby.wasm' | 'ruby+stdlib.wasm';

/** SHA-256 of the modules of the version in package.json. Another version needs others. */
const DIGESTS: Readonly<Record<RubyModuleFile, string>> = {
  'ruby.wasm': '4107b79ad357919679e7afd5c506243079ee8692949bf484dc596da0430d0de0',
  'ruby+stdlib.wasm': '0e4ee622e6efb9bfc7d1806af3e659116765d1dc04ec21411d106f3ea17b41a5',
};

/** Parts of an image; the image states them, and its key is their digest. */
export interface RubyOrigin {
  /** The package with its version. */
  readonly package: string;
  /** SHA-256 of the package's modules, by file. */
  readonly modules: Readonly<Record<string, string>>;
  /** SHA-256 of the Ruby side: names, lengths and contents of its files. */
  readonly side: string;
}

/** The origin of an image that is made now. `version` is the package with its version. */
export function describeOrigin(version: string, side: ReadonlyMap<string, Uint8Array>): RubyOrigin {
  const hash = createHash('sha256');
  for (const [path, bytes] of [...side].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return { package: version, modules: DIGESTS, side: hash.digest('hex') };
}

/** The key of an image with this origin. */
export function keyOfOrigin(origin: RubyOrigin): string {
  const made = [IMAGE_FORM, MODULE_FORM, ...RUBY_ARGUMENTS, origin.package, origin.side];
  const modules = Object.entries(origin.modules).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([made, modules]))
    .digest('hex');
}

/** The key of the module that is made of the package. */
export function keyOfModule(version: string): string {
  return createHash('sha256').update(`${MODULE_FORM} ${version} ${DIGESTS['ruby.wasm']}`).digest('hex');
}

/**
 * Returns the bytes of a module of the package. Throws MachineryFault when they are not those of
 * the reviewed version: Ruby is not made of them.
 */
export function checkModule<T extends Uint8Array>(file: RubyModuleFile, bytes: T): T {
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest === DIGESTS[file]) return bytes;
  throw new MachineryFault(`${file} of ${RUBY_PACKAGE} has the SHA-256 ${digest}, not ${DIGESTS[file]}`);
}
