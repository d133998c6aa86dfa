import { readFileSync } from 'node:fs';
import { invariant } from '../../puppet/errors/puppet-error.ts';

/** A script that lies beside this file; in a bundle beside the code. */
export type InstallerFile = 'install.sh' | 'install.ps1';

const NAMES = ['SERVER', 'PORT', 'VERSION'] as const;

/** What varies: the pool's host name and port, and the version in the URL. */
export type InstallerValues = Readonly<Record<(typeof NAMES)[number], string>>;

const PLACEHOLDER = /@([A-Z]+)@/g;
/** What needs no quotes in any shell. */
const PLAIN = /^[\w.+~-]+$/;

/**
 * Reads a script, in which `@SERVER@`, `@PORT@` and `@VERSION@` stand for what varies and nothing
 * else has that form. The function that it gives prints the script; it throws for a value that a
 * shell would not take as it stands. Throws when the file is missing or has another placeholder.
 */
export function readInstaller(file: InstallerFile): (values: InstallerValues) => string {
  return parseInstaller(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'));
}

/** The same for the text of a script. */
export function parseInstaller(template: string): (values: InstallerValues) => string {
  for (const [placeholder, name] of template.matchAll(PLACEHOLDER)) {
    if (!NAMES.some((one) => one === name)) throw new Error(`An installer has no value for ${placeholder}`);
  }
  return (values) => {
    for (const name of NAMES) invariant(PLAIN.test(values[name]), `the ${name} of an installer needs no quotes`);
    return NAMES.reduce((text, name) => text.replaceAll(`@${name}@`, values[name]), template);
  };
}
