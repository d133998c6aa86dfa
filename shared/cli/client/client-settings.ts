import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError, describeCause } from './client-error.ts';

/** Folders of a person's and the machine's files of client tools. */
export interface ClientFolders {
  /** The home directory, for `~`. */
  readonly home: string;
  /** Such as `/etc/puppetlabs/client-tools`. */
  readonly global: string;
}

/** The settings of a client tool, such as `service-url`; later files win. */
export type ClientSettings = Readonly<Record<string, unknown>>;

export const GLOBAL_CLIENT_FOLDER = '/etc/puppetlabs/client-tools';
/** Puppet's file of the CA's certificates. */
export const USUAL_CA_FILE = '/etc/puppetlabs/puppet/ssl/certs/ca.pem';

/**
 * Reads the settings of a tool: the file NAME of the machine, then that of the person, or `named`
 * in its place. A missing file has no settings, unless it was named. Throws ClientError.
 */
export function readClientSettings(
  name: string,
  { home, global }: ClientFolders,
  named: string | undefined,
): ClientSettings {
  const own = named ?? join(home, '.puppetlabs/client-tools', name);
  if (named !== undefined && !existsSync(named)) throw new ClientError(`the configuration '${named}' does not exist`);
  return { ...readFile(join(global, name)), ...readFile(own) };
}

/** A setting that must be text; undefined without it. Throws ClientError. */
export function textSetting(settings: ClientSettings, name: string): string | undefined {
  const value = settings[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ClientError(`the setting '${name}' must be a text`);
}

/** Replaces `~/` at the beginning of a path. */
export function expandHome(path: string, { home }: ClientFolders): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/** Returns the default path of the token's file. */
export function usualTokenFile({ home }: ClientFolders): string {
  return join(home, '.puppetlabs/token');
}

function readFile(path: string): ClientSettings {
  if (!existsSync(path)) return {};
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (error) {
    throw new ClientError(`the configuration '${path}' cannot be read: ${describeCause(error)}`, error);
  }
  throw new ClientError(`the configuration '${path}' must be a JSON object`);
}
