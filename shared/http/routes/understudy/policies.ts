import type { Author } from '../../../access/accounts/account.ts';
import { CodeIsStaged } from '../../../fleet/code/deploy.ts';
import { changePolicy, noteStrictness } from '../../../fleet/code/environment-strictness.ts';
import { settleEnvironment, startFanOut } from '../../../fleet/fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../../../fleet/policies/freshness-policies.ts';
import {
  InvalidPolicy,
  type PolicyEntry,
  readPolicyEntry,
  writePolicyEntry,
} from '../../../fleet/policies/policy-fields.ts';
import type { EnvironmentRecord } from '../../../store/ports/environment-store.ts';
import { auditChange } from '../../audit-change.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonValue } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';
import { permissionDenied } from '../access/access-endpoint.ts';

const PREFIX = '/understudy/v1/policies';

/** `GET policies`: all policy entries by key. */
const listPolicies = createRoute<FleetServices>('GET', PREFIX, async (context, { documents }) => {
  const entries = await new FreshnessPolicies(documents).list();
  return sendJson(context, Object.fromEntries(entries.map(({ key, entry }) => [key, writePolicyEntry(entry)])));
});

/**
 * `GET`, `PUT`, `DELETE policies/default`, `policies/environments/<name>`,
 * `policies/nodes/<certname>`: one policy entry; see `FreshnessPolicy`.
 */
const policyEndpoint = createRoute<FleetServices>(
  ['GET', 'PUT', 'DELETE'],
  `${PREFIX}/*`,
  async (context, services) => {
    const key = decodeURIComponent(new URL(context.req.url).pathname.slice(PREFIX.length + 1));
    try {
      return sendJson(context, await answer(context, services, key));
    } catch (error) {
      if (error instanceof InvalidPolicy || error instanceof CodeIsStaged) throw badRequestError(error.message);
      throw error;
    }
  },
);

export const policyEndpoints: readonly Endpoint<FleetServices>[] = [listPolicies, policyEndpoint];

async function answer(context: HttpContext, services: FleetServices, key: string) {
  if (context.req.method !== 'GET') {
    await change(context, services, key);
    return { changed: key };
  }
  const entry = await new FreshnessPolicies(services.documents).get(key);
  if (entry === null) throw resourceNotFoundError('policy', key);
  return writePolicyEntry(entry);
}

/** Begins to compile the nodes of environments whose strictness changed; others go on with it. */
async function change(context: HttpContext, services: FleetServices, key: string): Promise<void> {
  const isPut = context.req.method === 'PUT';
  const entry = isPut ? readPolicyEntry(await readJsonValue(context, BODIES.classification)) : null;
  const author = await demandRuns(context, services, key, entry);
  const changed = await changePolicy(services, key, entry, author);
  auditChange(context, services, `policy ${key} ${isPut ? 'set' : 'deleted'}`);
  const by = context.env.user ?? context.env.peer?.certname ?? 'unknown';
  for (const record of changed) {
    await startFanOut(record.name, services);
    finishChange(record, by, services).catch((error: unknown) =>
      services.log.logError(
        `Not all nodes of environment ${record.name} are invalidated for its strictness yet`,
        error,
      ),
    );
  }
}

/** The settings by which nodes run because their catalogs changed. */
function readNotify({ notify, notifyRate, notifyWindow, canary }: PolicyEntry): string {
  return JSON.stringify([notify, notifyRate, notifyWindow, canary]);
}

/**
 * Refuses (403) to change how nodes run, unless the user may run them. Returns the user by whose
 * permission they run: that of before when nothing of it changes.
 */
async function demandRuns(
  { env: { permits, user = '', author } }: HttpContext,
  { documents }: FleetServices,
  key: string,
  entry: PolicyEntry | null,
): Promise<Author | null> {
  const before = await new FreshnessPolicies(documents).getStored(key);
  if (readNotify(before?.entry ?? {}) === readNotify(entry ?? {})) return before?.author ?? null;
  if (permits === undefined || entry?.notify === 'off' || (await permits(RUN_PUPPET))) return author ?? null;
  throw permissionDenied({ login: user }, RUN_PUPPET);
}

const RUN_PUPPET = { objectType: 'puppet_agent', action: 'run', instance: '*' } as const;

async function finishChange(record: EnvironmentRecord, by: string, services: FleetServices): Promise<void> {
  await noteStrictness(record, by, services);
  await settleEnvironment(record.name, services);
}
