import { findConfigVersion } from '../../puppet/environment/config-version.ts';
import { standardPlace } from '../../puppet/environment/directory-environment.ts';
import { parseEnvironmentConf } from '../../puppet/environment/environment-conf.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { ScannedEnvironment } from './scan-environment.ts';
import { readSource } from './upload-files.ts';

/**
 * The sentences that a deploy says of code that asks for what it does not get: a `config_version`
 * that is not run.
 */
export async function listCodeNotes(scanned: ScannedEnvironment): Promise<readonly string[]> {
  const { environment, files } = scanned.snapshot;
  const conf = files[`environments/${environment}/environment.conf`];
  if (conf === undefined) return [];
  const text = Buffer.from(await readSource(scanned, conf.sha256)).toString('utf8');
  const version = findConfigVersion(readConfigVersion(text, environment));
  return version.kind === 'refused' ? [version.reason] : [];
}

/** The command; null for none, or in a file that compiles fail on. */
function readConfigVersion(text: string, environment: string): string | null {
  const place = standardPlace(SERVED_CODE_DIRECTORY, environment);
  try {
    return parseEnvironmentConf(text, `${place.root}/environment.conf`, place).settings.configVersion;
  } catch (error) {
    if (error instanceof PuppetError) return null;
    throw error;
  }
}
