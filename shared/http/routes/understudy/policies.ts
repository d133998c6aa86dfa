import {
  FreshnessPolicies,
  InvalidPolicy,
  readPolicyEntry,
  writePolicyEntry,
} from '../../../fleet/catalogs/freshness.ts';
import { CodeIsStaged } from '../../../fleet/code/deploy.ts';
import { changePolicy } from '../../../fleet/code/environment-strictness.ts';
import { noteStrictness } from '../../../fleet/code/note-strictness.ts';
import { settleEnvironment, startFanOut } from '../../../fleet/fan-out/settle-environment.ts';
import type { EnvironmentRecord } from '../../../store/ports/environment-store.ts';
import { auditChange } from '../../audit-change.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonValue } from '../../exchange/request-body.ts';
import type { HttpServices } from '../../services.ts';

const PREFIX = '/understudy/v1/policies';

/** `GET policies`: all policy entries by key. */
const listPolicies: Endpoint = {
  methods: ['GET'],
  path: PREFIX,
  async handle(context, { documents }) {
    const entries = await new FreshnessPolicies(documents).list();
    return sendJson(context, Object.fromEntries(entries.map(({ key, entry }) => [key, writePolicyEntry(entry)])));
  },
};

/**
 * `GET`, `PUT`, `DELETE policies/default`, `policies/environments/<name>`,
 * `policies/nodes/<certname>`: one policy entry; see `FreshnessPolicy`.
 */
const policyEndpoint: Endpoint = {
  methods: ['GET', 'PUT', 'DELETE'],
  path: `${PREFIX}/*`,
  async handle(context, services) {
    const key = decodeURIComponent(new URL(context.req.url).pathname.slice(PREFIX.length + 1));
    try {
      return sendJson(context, await answer(context, services, key));
    } catch (error) {
      if (error instanceof InvalidPolicy || error instanceof CodeIsStaged) throw badRequestError(error.message);
      throw error;
    }
  },
};

export const policyEndpoints: readonly Endpoint[] = [listPolicies, policyEndpoint];

async function answer(context: HttpContext, services: HttpServices, key: string) {
  if (context.req.method !== 'GET') {
    await change(context, services, key);
    return { changed: key };
  }
  const entry = await new FreshnessPolicies(services.documents).get(key);
  if (entry === null) throw resourceNotFoundError('policy', key);
  return writePolicyEntry(entry);
}

/** Begins to compile the nodes of environments whose strictness changed; others go on with it. */
async function change(context: HttpContext, services: HttpServices, key: string): Promise<void> {
  const isPut = context.req.method === 'PUT';
  const entry = isPut ? readPolicyEntry(await readJsonValue(context, BODIES.classification)) : null;
  const changed = await changePolicy(services, key, entry);
  auditChange(context, services, `policy ${key} ${isPut ? 'set' : 'deleted'}`);
  const by = context.env.user ?? context.env.peer?.certname ?? 'unknown';
  for (const record of changed) {
    await startFanOut(record.name, services);
    finishChange(record, by, services).catch((error: unknown) =>
      services.log.logError(`Not all nodes of environment ${record.name} are told of its strictness yet`, error),
    );
  }
}

async function finishChange(record: EnvironmentRecord, by: string, services: HttpServices): Promise<void> {
  await noteStrictness(record, by, services);
  await settleEnvironment(record.name, services);
}
