import { posix } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { type FunctionApi, findFunctionFile } from '../../ruby/ruby-sources.ts';
import texts from './known-texts.json' with { type: 'json' };

/** Hexadecimal digits of a sha256 in `known-texts.json`. */
export const DIGEST_LENGTH = 32;

export type Edition = '8' | '8.6' | '9';

export const EDITIONS: readonly Edition[] = ['8', '8.6', '9'];

/**
 * For each edition of a built-in function: the first digits of the sha256 of texts in Ruby that
 * mean the same, from any release. `behind`: texts of API 3.x beside a text of API 4.x, which
 * takes precedence. `requires` names functions of stdlib that such a text calls.
 */
type KnownTexts = Readonly<Partial<Record<Edition | 'behind' | 'requires', readonly string[]>>>;

/** Made by test/modules/list-stdlib-texts.ts from the tags of puppetlabs-stdlib. */
export const KNOWN_TEXTS: ReadonlyMap<string, KnownTexts> = new Map(Object.entries<KnownTexts>(texts));

/** Texts of `lib/puppet_x/stdlib/toml_dumper.rb`, which `to_toml` uses. */
export const KNOWN_TOML_DUMPERS: readonly string[] = [
  '57a02bbb4f19016a8320b0baa3531f87',
  '8fee21276e6a7dcea4ec1d13ab96ef7d',
];

const APIS: readonly FunctionApi[] = ['4.x', '3.x'];
const TOML_DUMPER = 'puppet_x/stdlib/toml_dumper.rb';

/**
 * Returns the edition of a built-in function that does what the environment's own code for that
 * function does. Null when the environment has no such code in Ruby, or when it is not a known text
 * of puppetlabs-stdlib: it then runs as itself. The same holds when it calls a function whose text
 * is not known.
 */
export function findKnownEdition(environment: Environment, name: string): Edition | null {
  const known = KNOWN_TEXTS.get(name);
  if (!known) return null;
  return environment.memoize(`known text of ${name}`, () => {
    const file = findFunctionFile(environment, name, ['4.x', '3.x']);
    const edition = file && editionOf(environment, known, file.path);
    return file && edition && requiresOnlyKnown(environment, known, file.path) ? edition : null;
  });
}

function editionOf(environment: Environment, known: KnownTexts, path: string): Edition | null {
  const digest = digestOf(environment, path);
  return EDITIONS.find((edition) => known[edition]?.includes(digest)) ?? null;
}

function requiresOnlyKnown(environment: Environment, { requires }: KnownTexts, path: string): boolean {
  return (
    (requires ?? []).every((name) => APIS.every((api) => isKnown(environment, name, api))) &&
    dumpsToml(environment, path)
  );
}

/** Whether the environment has a known text for that function, or none. */
function isKnown(environment: Environment, name: string, api: FunctionApi): boolean {
  const known = KNOWN_TEXTS.get(name);
  const file = findFunctionFile(environment, name, [api]);
  if (!file || !known) return true;
  return editionOf(environment, known, file.path) !== null || isBehind(environment, known, file.path);
}

function isBehind(environment: Environment, { behind }: KnownTexts, path: string): boolean {
  return behind?.includes(digestOf(environment, path)) ?? false;
}

/** Whether a function that writes TOML does so by a known text. */
function dumpsToml(environment: Environment, path: string): boolean {
  if (posix.basename(path) !== 'to_toml.rb') return true;
  const dumper = path.replace(/puppet\/functions\/(?:stdlib\/)?to_toml\.rb$/, TOML_DUMPER);
  return KNOWN_TOML_DUMPERS.includes(digestOf(environment, dumper));
}

function digestOf(environment: Environment, path: string): string {
  return environment.digest(path)?.slice(0, DIGEST_LENGTH) ?? '';
}
