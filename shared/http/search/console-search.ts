import type { Permission } from '../../access/accounts/access-control.ts';
import type { AccountStore } from '../../access/accounts/account-store.ts';
import type { FleetOverview } from '../../fleet/overview/fleet-overview.ts';
import type { JobQueries } from '../../orchestrator/jobs/inventory-queries.ts';
import type { JobStore } from '../../store/ports/job-store.ts';
import { cacheFor } from '../../util/cache-for.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { CodeSearch } from './code-search.ts';
import { NewestJobs } from './newest-jobs.ts';

/** Kinds of results, in the order in which they are shown. */
const SEARCH_KINDS = ['nodes', 'classes', 'resources', 'files', 'keys', 'facts', 'jobs', 'users'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

interface SearchResult {
  readonly name: string;
  /** A few words about it; empty for none. */
  readonly detail: string;
  /** The environment whose code has it; null for what is in none. */
  readonly environment: string | null;
}

/** Results of one kind; `hasMore`: others were found, or may be. */
interface FoundKind {
  readonly kind: SearchKind;
  readonly results: readonly SearchResult[];
  readonly hasMore: boolean;
}

const all = (objectType: string, action: string): Permission => ({ objectType, action, instance: '*' });

/** The permission for each kind beyond that to open the console; null for none. */
const NEEDED: Readonly<Record<SearchKind, Permission | null>> = {
  nodes: null,
  classes: all('node_groups', 'view'),
  resources: all('nodes', 'view_data'),
  files: null,
  keys: all('nodes', 'view_data'),
  facts: all('nodes', 'view_data'),
  jobs: all('orchestrator', 'view'),
  users: null,
};

interface SearchPorts {
  readonly fleet: Pick<FleetOverview, 'watch'>;
  readonly code: CodeSearch;
  /** Null without an inventory: then there are no resources and facts. */
  readonly queries: JobQueries | null;
  readonly jobs: Pick<JobStore, 'get' | 'list'>;
  readonly accounts: Pick<AccountStore, 'list'>;
  readonly clock: { now(): number };
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** Types whose resources are found by their titles alone: the index needs a type. */
const USUAL_TYPES = ['Package', 'Service', 'User', 'Group', 'Exec', 'Cron', 'Class', 'Mount', 'Host'];
const REFERENCE = /^([A-Z]\w*(?:::[A-Z]\w*)*)\[(.+)\]$/s;
const ACCOUNTS_KEPT_MS = 10_000;

/**
 * Finds what users look for by a part of its name. Nodes, classes, files and keys are found in
 * memory; resources by the inventory's index of types and whole titles. No request reads all nodes.
 */
export class ConsoleSearch {
  readonly #ports: SearchPorts;
  readonly #jobs: NewestJobs;
  readonly #readAccounts: () => ReturnType<AccountStore['list']>;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
    this.#jobs = new NewestJobs(ports.jobs, ports.clock);
    this.#readAccounts = cacheFor(ACCOUNTS_KEPT_MS, ports.clock, () => ports.accounts.list());
  }

  /**
   * At most `limit` results of each kind that the user may see. `failed` names the kinds that could
   * not be looked for.
   */
  async find(
    text: string,
    limit: number,
    permits: (permission: Permission) => Promise<boolean>,
  ): Promise<{ readonly kinds: readonly FoundKind[]; readonly failed: readonly SearchKind[] }> {
    const failed: SearchKind[] = [];
    const kinds = await Promise.all(
      SEARCH_KINDS.map(async (kind): Promise<FoundKind | null> => {
        const needed = NEEDED[kind];
        if (needed !== null && !(await permits(needed))) return null;
        try {
          const found = await this.#findKind(kind, text, limit + 1);
          return { kind, results: found.slice(0, limit), hasMore: found.length > limit };
        } catch (error) {
          this.#ports.reportFailure(`The ${kind} could not be searched`, error);
          failed.push(kind);
          return null;
        }
      }),
    );
    return { kinds: kinds.filter((one) => one !== null), failed };
  }

  async #findKind(kind: SearchKind, text: string, limit: number): Promise<readonly SearchResult[]> {
    const small = text.toLowerCase();
    switch (kind) {
      case 'nodes':
        return this.#ports.fleet.watch
          .look()
          .view.find(small, limit)
          .map(({ certname, environment }) => {
            return { name: certname, detail: '', environment };
          });
      case 'classes':
        return this.#findCode(kind, small.replace(/^class\[(.*)\]$/, '$1'), limit);
      case 'files':
        return this.#findCode(kind, text, limit);
      case 'keys':
        return this.#findCode(kind, text, limit);
      case 'resources':
        return this.#findResources(text, limit);
      case 'facts':
        return this.#findFacts(text, limit);
      case 'jobs':
        return (await this.#jobs.find(small, limit)).map(({ number, body }) => {
          return { name: String(number), detail: body.description || (body.task ?? body.command), environment: null };
        });
      case 'users':
        return this.#findUsers(small, limit);
    }
  }

  async #findCode(kind: 'classes' | 'files' | 'keys', text: string, limit: number): Promise<readonly SearchResult[]> {
    return (await this.#ports.code.find(kind, text, limit)).map((one) => ({ ...one, detail: '' }));
  }

  /** Resources of exactly this title or reference, with the number of nodes that have each. */
  async #findResources(text: string, limit: number): Promise<readonly SearchResult[]> {
    const { queries } = this.#ports;
    if (queries === null) return [];
    const [, type, title = text] = REFERENCE.exec(text) ?? [];
    const types = type === undefined ? (text.startsWith('/') ? ['File'] : USUAL_TYPES) : [type];
    const found = await Promise.all(
      types.map(async (one) => {
        const wanted = one === 'Class' ? titleOfClass(title) : title;
        const condition = ['and', ['=', 'type', one], ['=', 'title', wanted]];
        const nodes = await queries.find(['from', 'resources', ['extract', ['certname'], condition], ['limit', limit]]);
        if (nodes.length === 0) return [];
        const count = nodes.length < limit ? `on ${nodes.length}` : `on ${nodes.length - 1} and more`;
        const detail = `${count} ${nodes.length === 1 ? 'node' : 'nodes'}`;
        return [{ name: `${one}[${wanted}]`, detail, environment: null }];
      }),
    );
    return found.flat().slice(0, limit);
  }

  /** Facts whose names begin with the text. */
  async #findFacts(text: string, limit: number): Promise<readonly SearchResult[]> {
    const { queries } = this.#ports;
    if (queries === null || !/^[\w.-]+$/.test(text)) return [];
    const pattern = `^${text.replaceAll('.', '\\.')}`;
    // PuppetDB: a query as a whole about `fact_names` fails, since these have no nodes.
    const columns = ['extract', ['name'], ['~', 'name', pattern], ['group_by', 'name']];
    const names = ['from', 'fact_paths', columns, ['order_by', ['name']], ['limit', limit]];
    const rows = await queries.ask(JSON.stringify(names));
    return rows.flatMap((row) =>
      isJsonObject(row) && typeof row.name === 'string' ? [{ name: row.name, detail: '', environment: null }] : [],
    );
  }

  async #findUsers(text: string, limit: number): Promise<readonly SearchResult[]> {
    const users = (await this.#readAccounts()).filter(
      ({ isGroup, login, displayName }) =>
        !isGroup && [login, displayName].some((words) => words.toLowerCase().includes(text)),
    );
    return users
      .slice(0, limit)
      .map(({ login, displayName }) => ({ name: login, detail: displayName, environment: null }));
  }
}

/** Titles of classes are written in capitals: `Apache::Vhost`. */
function titleOfClass(name: string): string {
  return name.replace(/(^|::)([a-z])/g, (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`);
}
