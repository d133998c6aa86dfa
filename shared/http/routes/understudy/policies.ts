import {
  FreshnessPolicies,
  InvalidPolicy,
  readPolicyEntry,
  writePolicyEntry,
} from '../../../fleet/catalogs/freshness.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readTextBody } from '../../exchange/request-body.ts';
import { BODY_LIMITS, type HttpServices } from '../../services.ts';

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
      if (error instanceof InvalidPolicy) throw badRequestError(error.message);
      if (error instanceof SyntaxError) throw badRequestError(`The request body is not JSON: ${error.message}`);
      throw error;
    }
  },
};

export const policyEndpoints: readonly Endpoint[] = [listPolicies, policyEndpoint];

async function answer(context: HttpContext, { documents }: HttpServices, key: string) {
  const policies = new FreshnessPolicies(documents);
  if (context.req.method === 'DELETE') await policies.delete(key);
  if (context.req.method === 'PUT') {
    await policies.put(key, readPolicyEntry(JSON.parse(await readTextBody(context, BODY_LIMITS.classification))));
  }
  if (context.req.method !== 'GET') return { changed: key };
  const entry = await policies.get(key);
  if (entry === null) throw resourceNotFoundError('policy', key);
  return writePolicyEntry(entry);
}
