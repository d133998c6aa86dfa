import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { GitSource } from '../../../fleet/sources/code-source-store.ts';
import type { ProcessUser } from '../../../puppet/ruby/process/process-worker.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import { shortenId } from '../../../util/short-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { readProcessUser } from '../../client/option-values.ts';
import { Progress } from '../../client/progress.ts';
import { DATA_OPTION, dataDirectory, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';

/** The parts of a process that the commands need. */
export interface SourceProcess {
  readonly print: (text: string) => Promise<void>;
  readonly variables: AwsNames;
  /** Writes a line to standard error. */
  readonly warn: (line: string) => void;
  /** The version of Understudy. */
  readonly release: string;
}

interface AddOptions extends StateLocation {
  readonly git: string;
  readonly key?: string;
  readonly prefix?: string | true;
  readonly webhookSecret?: string;
}

interface SyncOptions extends StateLocation {
  readonly branch?: readonly string[];
  readonly gitUser?: ProcessUser;
  readonly gitFolder?: string;
  readonly forge?: string;
}

/** Adds `code sources`. */
export function addSources(code: Command, context: SourceProcess): void {
  const { print, variables } = context;
  const sources = code.command('sources').description('git repositories whose branches are environments');
  sources
    .command('add')
    .description('add a source, or change one; nothing is deployed before it is synchronised')
    .argument('<name>', 'small letters, digits, - and _')
    .requiredOption('--git <url>', 'the repository: https://, ssh://, file:// or user@host:path')
    .option('--key <file>', 'the private key for ssh; it serves for modules, too')
    .option('--prefix [text]', "begin the names of environments with this text, or with the source's name, and _")
    .option('--webhook-secret <file>', 'the file of the secret that signs calls of its webhook')
    .option(...DATA_OPTION)
    .action((name: string, options: AddOptions) =>
      withStores(options, variables, async (stores) => {
        const { GitSourceStore } = await import('../../../fleet/sources/code-source-store.ts');
        await new GitSourceStore(stores).put(sourceOf(name, options));
        await print(`${name} added: 'understudy code sources sync ${name}' deploys its branches\n`);
      }),
    );
  const list = sources
    .command('list')
    .description('list the sources: name, repository, and the environments with branch and commit')
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS).action((options: StateLocation & ListOptions) =>
    withStores(options, variables, async (stores) => print(await listSources(stores, options))),
  );
  sources
    .command('remove')
    .description('remove a source; its environments stay in force')
    .argument('<name>')
    .option(...DATA_OPTION)
    .action((name: string, options: StateLocation) =>
      withStores(options, variables, async (stores) => {
        const { GitSourceStore } = await import('../../../fleet/sources/code-source-store.ts');
        if (!(await new GitSourceStore(stores).delete(name))) throw new CommandError(`there is no source '${name}'`);
        await print(`${name} removed\n`);
      }),
    );
  addSync(sources, context);
}

function addSync(sources: Command, context: SourceProcess): void {
  sources
    .command('sync')
    .description('fetch sources, deploy their branches, and remove environments whose branches are gone')
    .argument('[name...]', 'the sources; all by default')
    .option('--branch <name...>', 'deploy only these branches')
    .option('--git-user <uid:gid>', 'the user of git; requires root', readProcessUser)
    .option('--git-folder <dir>', 'where copies of repositories are kept (default: git in the data directory)')
    .option('--forge <url>', "the Forge's API")
    .option(...DATA_OPTION)
    .action((names: readonly string[], options: SyncOptions) =>
      withStores(options, context.variables, (stores) => sync(names, options, stores, context)),
    );
}

function sourceOf(name: string, { git, key, prefix, webhookSecret }: AddOptions): GitSource {
  return {
    name,
    url: git,
    key: key === undefined ? null : resolve(key),
    prefix: prefix === true ? name.replaceAll('-', '_') : (prefix ?? null),
    secretFile: webhookSecret === undefined ? null : resolve(webhookSecret),
    author: null,
  };
}

/** A row for each environment of a source, and one for a source without any. */
interface ListedSource {
  readonly name: string;
  readonly url: string;
  readonly environment: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  /** When the last synchronisation of the source began, in ms since 1970, and what went wrong. */
  readonly synchronised: number | null;
  readonly troubles: string | null;
  /** The code that was rolled back. */
  readonly note: string | null;
}

const COLUMNS: readonly ListColumn<ListedSource>[] = [
  { name: 'source', value: ({ name }) => name },
  { name: 'repository', value: ({ url }) => url },
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'branch', value: ({ branch }) => branch },
  { name: 'commit', kind: 'id', value: ({ commit }) => commit },
  { name: 'synchronised', kind: 'time', value: ({ synchronised }) => synchronised },
  { name: 'note', value: ({ note }) => note, isOptional: true },
  { name: 'troubles', value: ({ troubles }) => troubles, isOptional: true },
];

async function listSources(stores: Stores, options: ListOptions): Promise<string> {
  const { environments: records, clock } = stores;
  const { GitSourceStore } = await import('../../../fleet/sources/code-source-store.ts');
  const { hideLogins } = await import('../../../util/hide-logins.ts');
  const store = new GitSourceStore(stores);
  const { describeHeld } = await import('../../../fleet/code/taken-back.ts');
  const environments = await store.listEnvironments();
  const syncs = await store.listSyncs(clock.now());
  const held = new Map((await records.list()).map(({ name, takenBack = null }) => [name, takenBack]));
  const rows = (await store.list()).flatMap(({ name, url: full }): readonly ListedSource[] => {
    const url = hideLogins(full);
    const { at: synchronised = null, troubles: found = [] } = syncs.get(name) ?? {};
    const last = { name, url, synchronised, troubles: found.length === 0 ? null : found.join('; ') };
    const own = environments.filter(({ source }) => source === name);
    if (own.length === 0) return [{ ...last, environment: null, branch: null, commit: null, note: null }];
    return own.map(({ environment, branch, commit }) => {
      const takenBack = held.get(environment) ?? null;
      return { ...last, environment, branch, commit, note: takenBack && describeHeld(takenBack) };
    });
  });
  const empty = "There is no source; 'code sources add' adds one.";
  return printList(rows, COLUMNS, createListStyle(options, clock.now(), empty));
}

async function sync(
  names: readonly string[],
  options: SyncOptions,
  stores: Stores,
  context: SourceProcess,
): Promise<void> {
  const { print, variables, warn } = context;
  const directory = dataDirectory(options, variables);
  if (directory === null && options.gitFolder === undefined) {
    throw new CommandError('--git-folder says where copies of repositories are kept; there is no data directory');
  }
  const { GitSourceStore } = await import('../../../fleet/sources/code-source-store.ts');
  const { GIT_LIMITS } = await import('../../../fleet/sources/run-git.ts');
  const { FORGE_URL } = await import('../../../fleet/sources/install-modules.ts');
  const { askUrl } = await import('../../../fleet/sources/git-url.ts');
  const { printBegunStage } = await import('../../../fleet/stages/begin-stage.ts');
  const { GitSync } = await import('../../../fleet/sources/git-sync.ts');
  const folder = resolve(options.gitFolder ?? `${directory}/git`);
  const git = { folder, path: variables.PATH, user: options.gitUser ?? null, ...GIT_LIMITS };
  const preparation = await preparationWithGate(stores, options, context);
  const lines: string[] = [];
  const progress = new Progress();
  const synchronisation = new GitSync(
    {
      stores,
      modules: { git, fetch: askUrl, forge: options.forge ?? FORGE_URL },
      preparation: preparation.preparation,
    },
    {
      onDeployed: ({ environment, changed, codeId, nodeCount, notes = [] }, commit) => {
        const what = changed ? 'deployed' : 'unchanged';
        lines.push(
          `${environment} ${what}: commit ${shortenId(commit)}, code ${shortenId(codeId)}, ${countUnits(nodeCount, 'node')} touched\n`,
        );
        lines.push(...notes.map((note) => `${environment}: ${note}\n`));
      },
      onStaged: (begun) => lines.push(`${printBegunStage(begun)}\n`),
      onRemoved: (environment) => lines.push(`${environment} removed: its branch is gone\n`),
      onHeld: (what) => lines.push(`${what}\n`),
      onFetching: (what, done, of) => progress.show(`fetching: ${what}`, done, of),
      onTrouble: (line) => {
        progress.end();
        warn(line);
      },
    },
  );
  try {
    const failed: string[] = [];
    for (const source of await chooseSources(names, new GitSourceStore(stores))) {
      progress.show(`${source.name}: fetching and deploying`);
      const report = await synchronisation.sync(source, options.branch ?? null);
      progress.end();
      await print(lines.splice(0).join(''));
      failed.push(...report.failed);
    }
    if (failed.length > 0) throw new CommandError(`not deployed: ${failed.join(', ')}`);
  } finally {
    progress.end();
    preparation.close();
  }
}

/**
 * Builds the preparation whose gate previews code before it is in force, where the policy demands
 * it.
 */
async function preparationWithGate(stores: Stores, where: StateLocation, { variables, release }: SourceProcess) {
  const { PREPARATION } = await import('../../../http/preparation.ts');
  const { createDeployGate } = await import('../../../fleet/previews/deploy-gate.ts');
  const { openTrials } = await import('./open-trials.ts');
  const { trials, close } = await openTrials(stores, where, variables, release);
  return { preparation: { ...PREPARATION, gate: createDeployGate(trials, stores) }, close };
}

async function chooseSources(
  names: readonly string[],
  store: { get(name: string): Promise<GitSource | null>; list(): Promise<readonly GitSource[]> },
): Promise<readonly GitSource[]> {
  if (names.length > 0) {
    const found: GitSource[] = [];
    for (const name of names) {
      const source = await store.get(name);
      if (source === null) throw new CommandError(`there is no source '${name}'`);
      found.push(source);
    }
    return found;
  }
  const all = await store.list();
  if (all.length === 0) throw new CommandError("there is no source; 'code sources add' adds one");
  return all;
}
