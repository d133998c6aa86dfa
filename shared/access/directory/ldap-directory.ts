import { isIP } from 'node:net';
import {
  AndFilter,
  Client,
  type Entry,
  EqualityFilter,
  type Filter,
  InvalidCredentialsError,
  OrFilter,
  ResultCodeError,
} from 'ldapts';
import { DirectoryRefused, type LdapSettings } from './ldap-settings.ts';

/** A user as the directory has him. */
export interface DirectoryUser {
  /** In the spelling of the directory. */
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  /** The names of his groups, also of those that his groups are in when nested groups count. */
  readonly groups: readonly string[];
}

/** A connection with what it needs. */
interface DirectoryAccess extends LdapSettings {
  readonly password: string | null;
  /** The address of the host, which was checked. */
  readonly address: string;
}

/** Some answers of servers have a code, and no text. */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause instanceof ResultCodeError ? `${cause.name} ${cause.message.trim()}` : cause.message;
}

const SEARCH_SECONDS = 10;
const MOST_GROUPS = 1000;
/** Groups in groups: as deep, and no deeper, are they followed. */
const MOST_DEPTH = 10;
/** Values of one filter. */
const MEMBERS_A_SEARCH = 50;

/**
 * Finds the user of a login, and tries his password. Null when there is none or several, and for a
 * wrong password. Rejects with DirectoryRefused.
 */
export function logInToDirectory(
  access: DirectoryAccess,
  login: string,
  password: string,
): Promise<DirectoryUser | null> {
  return asService(access, async (client) => {
    const entry = await findUser(client, access, login);
    // Servers take an empty password as no question at all, and say yes.
    if (entry === null || password === '' || !(await isPasswordOf(access, entry.dn, password))) return null;
    const groups = await listGroups(client, access, entry.dn, login);
    return {
      login: textOf(entry, access.user_lookup_attr) ?? login,
      displayName: textOf(entry, access.user_display_name_attr) ?? login,
      email: textOf(entry, access.user_email_attr) ?? '',
      groups,
    };
  });
}

/** Connects and asks for one entry below the base. Rejects with DirectoryRefused. */
export async function testDirectory(access: DirectoryAccess): Promise<void> {
  await asService(access, async (client) => {
    await client.search(access.base_dn, { scope: 'base', attributes: ['1.1'], timeLimit: SEARCH_SECONDS });
  });
}

/** Works with a connection that has the login of the settings, or none. */
async function asService<T>(access: DirectoryAccess, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await withClient(access, async (client) => {
      if (access.login !== null) await client.bind(access.login, access.password ?? '');
      return await work(client);
    });
  } catch (error) {
    const { hostname, port } = access;
    const message = `The directory ${hostname}:${port} cannot be asked: ${describeCause(error)}`;
    throw new DirectoryRefused('directory-unavailable', message);
  }
}

async function isPasswordOf(access: DirectoryAccess, dn: string, password: string): Promise<boolean> {
  return withClient(access, async (client) => {
    try {
      await client.bind(dn, password);
      return true;
    } catch (error) {
      if (error instanceof InvalidCredentialsError) return false;
      throw error;
    }
  });
}

async function withClient<T>(access: DirectoryAccess, work: (client: Client) => Promise<T>): Promise<T> {
  const { address, port, connect_timeout: seconds } = access;
  const host = address.includes(':') ? `[${address}]` : address;
  const tlsOptions = tlsOptionsOf(access);
  const client = new Client({
    url: `${access.ssl ? 'ldaps' : 'ldap'}://${host}:${port}`,
    connectTimeout: seconds * 1000,
    timeout: (SEARCH_SECONDS + seconds) * 1000,
    ...(access.ssl ? { tlsOptions } : {}),
  });
  try {
    if (access.start_tls) await client.startTLS(tlsOptions);
    return await work(client);
  } finally {
    await client.unbind().catch(() => {});
  }
}

function tlsOptionsOf({ hostname, ssl_hostname_validation: isNameChecked, certificates }: DirectoryAccess) {
  return {
    ...(isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
    ...(certificates === null ? {} : { ca: certificates }),
    ...(isNameChecked ? {} : { checkServerIdentity: () => undefined }),
  };
}

async function findUser(client: Client, access: DirectoryAccess, login: string): Promise<Entry | null> {
  const { user_lookup_attr: attribute, user_display_name_attr, user_email_attr } = access;
  const { searchEntries } = await client.search(below(access.user_rdn, access), {
    filter: new EqualityFilter({ attribute, value: login }),
    attributes: [attribute, user_display_name_attr, user_email_attr],
    sizeLimit: 2,
    timeLimit: SEARCH_SECONDS,
  });
  const [entry, another] = searchEntries;
  return another === undefined ? (entry ?? null) : null;
}

/** The names of the groups that have a member, level by level. */
async function listGroups(
  client: Client,
  access: DirectoryAccess,
  dn: string,
  login: string,
): Promise<readonly string[]> {
  const names = new Set<string>();
  const known = new Set<string>();
  // Groups of POSIX have logins as members.
  let members = [dn, login];
  for (let depth = 0; members.length > 0 && depth < MOST_DEPTH && known.size < MOST_GROUPS; depth += 1) {
    const found = await findGroupsOf(client, access, members);
    const fresh = found.filter((entry) => !known.has(entry.dn)).slice(0, MOST_GROUPS - known.size);
    for (const entry of fresh) {
      known.add(entry.dn);
      const name = textOf(entry, access.group_lookup_attr);
      if (name !== null) names.add(name);
    }
    members = access.search_nested_groups ? fresh.map((entry) => entry.dn) : [];
  }
  return [...names];
}

async function findGroupsOf(
  client: Client,
  access: DirectoryAccess,
  members: readonly string[],
): Promise<readonly Entry[]> {
  const { group_member_attr: attribute, group_object_class, group_lookup_attr } = access;
  const found: Entry[] = [];
  for (let first = 0; first < members.length; first += MEMBERS_A_SEARCH) {
    const some: Filter[] = members
      .slice(first, first + MEMBERS_A_SEARCH)
      .map((value) => new EqualityFilter({ attribute, value }));
    const isGroup = new EqualityFilter({ attribute: 'objectClass', value: group_object_class });
    const { searchEntries } = await client.search(below(access.group_rdn, access), {
      filter: new AndFilter({ filters: [isGroup, new OrFilter({ filters: some })] }),
      attributes: [group_lookup_attr],
      timeLimit: SEARCH_SECONDS,
      paged: { pageSize: MOST_GROUPS / 2 },
    });
    found.push(...searchEntries);
  }
  return found;
}

function below(rdn: string | null, { base_dn }: DirectoryAccess): string {
  return rdn === null || rdn === '' ? base_dn : `${rdn},${base_dn}`;
}

/** The first value of an attribute, whose name has no case; null without one. */
function textOf(entry: Entry, attribute: string): string | null {
  const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? [];
  const first = Array.isArray(value) ? value[0] : value;
  if (first === undefined) return null;
  const text = typeof first === 'string' ? first : first.toString('utf8');
  return text === '' ? null : text;
}
