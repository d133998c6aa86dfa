import type { AnswerOf } from '../../../api/described-answers.ts';
import {
  type GitSource,
  GitSourceStore,
  type SourcedEnvironment,
  type SyncOutcome,
} from '../../../fleet/sources/code-source-store.ts';
import { InvalidSource } from '../../../fleet/sources/git-url.ts';
import type { TakenBack } from '../../../store/ports/environment-store.ts';
import { hideLogins } from '../../../util/hide-logins.ts';
import { badRequestError, resourceNotFoundError, unavailableError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/understudy/v1/code-sources';
const RETRY_SECONDS = 300;
const MALFORMED = 'understudy/malformed-source';

/**
 * `GET code-sources`: the git repositories whose branches are environments, each with the
 * environments that it put in force and what of them was rolled back, the path of its webhook, and
 * how its last synchronisation went. Logins in URLs are left out.
 */
export const getCodeSources = createRoute<FleetServices>('GET', PREFIX, async (context, services) => {
  const { environments: records, clock, git } = services;
  const store = new GitSourceStore(services);
  const rolledBack = new Map((await records.list()).map(({ name, takenBack = null }) => [name, takenBack]));
  const [sources, environments] = [await store.list(), await store.listEnvironments()];
  const syncs = await store.listSyncs(clock.now());
  return sendJson(context, {
    canSync: git !== undefined,
    sources: sources.map((source) => describe(source, environments, rolledBack, syncs)),
  } satisfies AnswerOf<'listCodeSources'>);
});

/**
 * `PUT code-sources/<name>` with `url` and `prefix`: adds a source, or changes one, which keeps its
 * key and its secret: these are files of the server, and only commands there name them. Folders of
 * the server (`file://`) are for these commands, too.
 */
export const putCodeSource = createRoute<FleetServices>('PUT', `${PREFIX}/:source`, async (context, services) => {
  const store = new GitSourceStore(services);
  const name = context.req.param('source') ?? '';
  const { url, prefix = null } = await readJsonObject(context, MALFORMED);
  if (typeof url !== 'string') throw badRequestError("'url' must be a text");
  if (prefix !== null && typeof prefix !== 'string') throw badRequestError("'prefix' must be a text or null");
  if (url.startsWith('file:')) {
    throw badRequestError("Folders of the server are added there: 'understudy code sources add'");
  }
  const { key = null, secretFile = null } = (await store.get(name)) ?? {};
  const { author = null } = context.env;
  await putChecked(store, { name, url, prefix: prefix === '' ? null : prefix, key, secretFile, author });
  return sendJson(context, { source: name });
});

/** `DELETE code-sources/<name>`: forgets a source; its environments stay in force. */
export const deleteCodeSource = createRoute<FleetServices>('DELETE', `${PREFIX}/:source`, async (context, services) => {
  const name = context.req.param('source') ?? '';
  if (!(await new GitSourceStore(services).delete(name))) throw resourceNotFoundError('source', name);
  return sendJson(context, { removed: name });
});

/** `POST code-sources/<name>/sync`: fetches a source soon, and deploys its branches. */
export const postSourceSync = createRoute<FleetServices>(
  'POST',
  `${PREFIX}/:source/sync`,
  async (context, services) => {
    const name = context.req.param('source') ?? '';
    const { git } = services;
    const source = await new GitSourceStore(services).get(name);
    if (source === null) throw resourceNotFoundError('source', name);
    if (git === undefined) {
      throw unavailableError("this server fetches no sources: 'understudy code sources sync' does", RETRY_SECONDS);
    }
    git.request(source, null);
    return sendJson(context, { source: name });
  },
);

async function putChecked(store: GitSourceStore, source: GitSource): Promise<void> {
  try {
    await store.put(source);
  } catch (error) {
    if (error instanceof InvalidSource) throw badRequestError(error.message);
    throw error;
  }
}

function describe(
  source: GitSource,
  environments: readonly SourcedEnvironment[],
  rolledBack: ReadonlyMap<string, TakenBack | null>,
  syncs: ReadonlyMap<string, SyncOutcome>,
) {
  const { name, url, prefix, key, secretFile } = source;
  return {
    name,
    url: hideLogins(url),
    prefix,
    hasKey: key !== null,
    webhook: secretFile === null ? null : `${PREFIX}/${name}/webhook`,
    environments: environments
      .filter((one) => one.source === name)
      .map(({ environment, branch, commit }) => {
        const held = rolledBack.get(environment) ?? null;
        return { environment, branch, commit, rolledBack: held && { codeId: held.codeId, user: held.by, at: held.at } };
      }),
    lastSync: syncs.get(name) ?? null,
  };
}
