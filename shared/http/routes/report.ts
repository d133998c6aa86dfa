import { badRequest } from '../answers.ts';
import { compress, JSON_FORMATS, sendJson } from '../content-encoding.ts';
import { type Endpoint, type HttpContext, nodeOf } from '../endpoint.ts';
import { existingEnvironment } from '../environment-parameter.ts';
import { cannotIntern, isJson } from '../posted-facts.ts';
import { demandFormat, readBody } from '../request-body.ts';
import { BODY_LIMITS, type HttpServices } from '../services.ts';

/** Collection of the reports' summaries; the key is `<certname>/<time received>-<transaction uuid>`. */
export const REPORTS = 'reports';

/** `PUT report/<certname>`: keeps the report; answers the names of the processors, of which there is one. */
export const report: Endpoint = {
  methods: ['PUT'],
  path: '/puppet/v3/report/:certname',
  async handle(context, services) {
    await existingEnvironment(context, services);
    demandFormat(context, JSON_FORMATS);
    const bytes = await readBody(context, BODY_LIMITS.report);
    await keep(context, services, bytes, parseReport(bytes));
    return sendJson(context, ['store']);
  },
};

function parseReport(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const text = new TextDecoder().decode(bytes);
  if (!isJson(text)) throw badRequest(`The request body is invalid: ${cannotIntern(text)}`);
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw badRequest('The request body is invalid: a report is a JSON object');
  }
  return { ...parsed };
}

async function keep(
  context: HttpContext,
  services: HttpServices,
  bytes: Uint8Array,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const certname = nodeOf(context);
  const { status, environment, time, puppet_version, transaction_uuid, noop } = body;
  const receivedAt = services.clock.now();
  const key = `${certname}/${new Date(receivedAt).toISOString()}-${safePart(transaction_uuid)}`;
  const blob = `reports/${key}`;
  await services.blobs.put(blob, await compress(bytes));
  const summary = { certname, receivedAt, status, environment, time, puppet_version, transaction_uuid, noop, blob };
  await services.documents.put(REPORTS, key, JSON.parse(JSON.stringify(summary)));
  await dropOld(services, certname);
}

async function dropOld(services: HttpServices, certname: string): Promise<void> {
  const { reportsKept } = services.settings;
  const kept = await services.documents.list(REPORTS, `${certname}/`, reportsKept + 10);
  for (const { key } of kept.slice(0, Math.max(0, kept.length - reportsKept))) {
    await services.documents.delete(REPORTS, key);
    await services.blobs.delete(`reports/${key}`);
  }
}

function safePart(uuid: unknown): string {
  return typeof uuid === 'string' && /^[\w-]{1,64}$/.test(uuid) ? uuid : 'none';
}
