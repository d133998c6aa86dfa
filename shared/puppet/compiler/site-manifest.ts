import type { Environment } from '../environment/environment.ts';
import { compareBytes, globBelow } from '../environment/glob.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Program } from '../language/ast.ts';
import { SeveralErrors } from '../validation/check.ts';
import type { ManifestParser } from './manifest-parser.ts';

/**
 * Loads the programs of the site manifest: `code` when given, else the environment's manifest,
 * which is a file or the `.pp` files below a folder that Puppet's glob finds, sorted. A parse error
 * names the environment.
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
    return paths.flatMap((path) => parseManifest(environment, parser, path));
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
  if (environment.kindOf(manifest) !== 'directory') return [manifest];
  return globBelow(manifest, '.pp', environment).toSorted(compareBytes);
}

function parseManifest(environment: Environment, parser: ManifestParser, path: string): readonly Program[] {
  if (path !== environment.manifest && environment.kindOf(path) === 'directory') {
    // Ruby: IO#read
    throw new PuppetError(`Is a directory @ io_fread - ${path}`);
  }
  const program = parser.parseFile(path);
  return program ? [program] : [];
}
