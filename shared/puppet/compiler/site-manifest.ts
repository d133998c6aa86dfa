import { posix } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Program } from '../language/ast.ts';
import { SeveralErrors } from '../validation/check.ts';
import type { ManifestParser } from './manifest-parser.ts';

/**
 * Loads the programs of the site manifest: `code` when given, else the environment's manifest,
 * which is a file or all `.pp` files below a folder, sorted. A parse error names the environment.
 * Puppet: Environment#perform_initial_import
 */
export function loadSiteManifest(
  environment: Environment,
  parser: ManifestParser,
  code: string | undefined,
): Program[] {
  try {
    if (code !== undefined && code !== '') return [parser.parseText(code)];
    const paths = environment.memoize(`site manifest ${environment.manifest}`, () => manifestFiles(environment));
    return paths.flatMap((path) => parser.parseFile(path) ?? []);
  } catch (error) {
    throw error instanceof PuppetError ? new SiteManifestError(environment.name, error) : error;
  }
}

/** A syntax error in the site manifest, with Puppet's message. */
export class SiteManifestError extends PuppetError {
  /** Whether there were several errors, and this one only states their number. */
  readonly isSummary: boolean;

  constructor(environmentName: string, error: PuppetError) {
    const { basic, issueCode, location, message } = error;
    super(basic, { ...location, issueCode });
    this.isSummary = error instanceof SeveralErrors;
    this.message = `Could not parse for environment ${environmentName}: ${message}`;
  }
}

function manifestFiles(environment: Environment): readonly string[] {
  const { manifest } = environment;
  if (manifest === null) return [];
  return environment.kindOf(manifest) === 'directory' ? manifestsBelow(environment, manifest).sort() : [manifest];
}

function manifestsBelow(environment: Environment, folder: string): string[] {
  return (environment.list(folder) ?? []).flatMap((name) => {
    const path = posix.join(folder, name);
    if (environment.kindOf(path) === 'directory') return manifestsBelow(environment, path);
    return name.endsWith('.pp') ? [path] : [];
  });
}
