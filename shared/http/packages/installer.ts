import { readFileSync } from 'node:fs';
import { invariant } from '../../puppet/errors/puppet-error.ts';

/** A script beside this file; in a bundle, beside the code. */
export type InstallerFile = 'install.sh' | 'install.ps1';

const NAMES = ['SERVER', 'PORT', 'VERSION'] as const;

/** The placeholders' values: the pool's host name and port, and the version in the URL. */
type InstallerValues = Readonly<Record<(typeof NAMES)[number], string>>;

const PLACEHOLDER = /@([A-Z]+)@/g;
/** Text that needs no quotes in any shell. */
const PLAIN = /^[\w.+~-]+$/;

/**
 * Reads a script with the placeholders `@SERVER@`, `@PORT@` and `@VERSION@`. The returned function
 * renders the script, and throws for a value that a shell would not take literally. Throws when the
 * file is missing or has another placeholder.
 */
export function readInstaller(file: InstallerFile): (values: InstallerValues) => string {
  return parseInstaller(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'));
}

/** Parses the text of a script; see `readInstaller`. */
export function parseInstaller(template: string): (values: InstallerValues) => string {
  for (const [placeholder, name] of template.matchAll(PLACEHOLDER)) {
    if (!NAMES.some((one) => one === name)) throw new Error(`An installer has no value for ${placeholder}`);
  }
  return (values) => {
    for (const name of NAMES) invariant(PLAIN.test(values[name]), `the ${name} of an installer needs no quotes`);
    return NAMES.reduce((text, name) => text.replaceAll(`@${name}@`, values[name]), template);
  };
}
