import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StoreRefused } from '../ports/store-errors.ts';

/** The servers of a PostgreSQL database, and how to log in. */
export interface DatabasePlace {
  /** At least one. The one that takes writes is looked for in this order. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** Absent: the usual sources of a PostgreSQL client (`PGPASSWORD`, `.pgpass`). */
  readonly password?: string;
  readonly database: string;
  readonly tls: ConnectionOptions | false;
  /** The place without its password, for messages. */
  readonly shown: string;
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)\/([^/?]+)(?:\?(.*))?$/;
/** A name, an address, or the folder of a socket with `%2F` for each slash. */
const HOST = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const POSTGRES_PORT = 5432;
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** Whether a text is to be the address of a database, and not a folder. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text);
}

/**
 * Reads `postgresql://user:password@host:port,host:port/database?sslmode=verify-full`, the form of
 * libpq. Throws StoreRefused, without the password, for another form, an unknown parameter,
 * or a file that cannot be read.
 */
export function readDatabasePlace(url: string): DatabasePlace {
  const [, user = '', password, hosts = '', database = '', query = ''] = FORM.exec(url) ?? [];
  if (database === '') refuse('it is no URL like postgresql://user@host:5432/database');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) refuse(`it has the unknown parameter '${name}' (known: ${PARAMETERS.join(', ')})`);
  }
  const list = hosts.split(',').map((text) => {
    const [, host, port] = HOST.exec(text) ?? [];
    if (host === undefined) return refuse(`'${text}' is no host`);
    return { host: decodeURIComponent(host).replace(/^\[|\]$/g, ''), port: Number(port ?? POSTGRES_PORT) };
  });
  const name = decodeURIComponent(database);
  return {
    hosts: list,
    user: decodeURIComponent(user),
    ...(password === undefined ? {} : { password: decodeURIComponent(password) }),
    database: name,
    tls: readTls(parameters),
    shown: `postgresql://${user === '' ? '' : `${user}@`}${hosts}/${name}`,
  };
}

function readTls(parameters: URLSearchParams): ConnectionOptions | false {
  const mode = parameters.get('sslmode') ?? 'disable';
  if (!TLS_MODES.includes(mode)) refuse(`sslmode '${mode}' is none of ${TLS_MODES.join(', ')}`);
  if (mode === 'disable') return false;
  const read = (name: string) => {
    const file = parameters.get(name);
    if (file === null) return undefined;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      return refuse(`the file of ${name} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  };
  const [ca, cert, key] = [read('sslrootcert'), read('sslcert'), read('sslkey')];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

function refuse(fault: string): never {
  throw new StoreRefused(`the address of the database cannot be used: ${fault}`);
}
