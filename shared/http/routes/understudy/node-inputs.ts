import { gunzipSync } from 'node:zlib';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { loadCatalog } from '../../../fleet/catalogs/catalog-blob.ts';
import { readFactsBlob } from '../../../fleet/facts/facts-blob.ts';
import { describeInputs } from '../../../fleet/inputs/describe-inputs.ts';
import { HIDDEN, hideSensitiveValues } from '../../../puppet/catalog/hide-sensitive.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { certnameIn, type HttpContext } from '../../endpoint.ts';
import { notFoundError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/understudy/v1/nodes/:certname';

/** `GET nodes/<certname>/inputs`: what the last compile read, and the lines that mention it. */
export const getNodeInputs = createRoute<FleetServices>('GET', `${PREFIX}/inputs`, async (context, services) => {
  const described = await describeInputs(await demandNode(context, services), services);
  if (described === null) throw notFoundError(`${certnameIn(context)} was not compiled yet`);
  return sendJson(context, described satisfies AnswerOf<'getNodeInputs'>);
});

/** `GET nodes/<certname>/facts`: what the node sent last, and what its certificate says. */
export const getNodeFacts = createRoute<FleetServices>('GET', `${PREFIX}/facts`, async (context, services) => {
  const record = await demandNode(context, services);
  const bytes = await readFactsBlob(services.blobs, record);
  if (bytes === null) throw notFoundError(`No facts of ${record.certname} are known`);
  const stored: unknown = JSON.parse(gunzipSync(bytes).toString('utf8'));
  const { facts, trusted } = isJsonObject(stored) ? stored : {};
  return sendJson(context, {
    at: record.facts?.at ?? null,
    facts: isJsonObject(facts) ? facts : {},
    trusted: isJsonObject(trusted) ? trusted : {},
  } satisfies AnswerOf<'getNodeFacts'>);
});

/** `GET nodes/<certname>/catalog`: the catalog that the node gets, without sensitive values. */
export const getNodeCatalog = createRoute<FleetServices>('GET', `${PREFIX}/catalog`, async (context, services) => {
  const { catalog } = await demandNode(context, services);
  return sendCatalog(context, services, catalog?.hash);
});

/** `GET nodes/<certname>/catalog/previous`: the catalog before that differed. */
export const getPreviousCatalog = createRoute<FleetServices>(
  'GET',
  `${PREFIX}/catalog/previous`,
  async (context, services) => {
    const { catalog } = await demandNode(context, services);
    return sendCatalog(context, services, catalog?.previous?.hash);
  },
);

/** `GET nodes/<certname>/history`: the last compiles with what each was for, and the reasons. */
export const getNodeHistory = createRoute<FleetServices>('GET', `${PREFIX}/history`, async (context, services) => {
  const record = await demandNode(context, services);
  const { failure, reasons, compiles, verifications, inputs } = record;
  const noted = inputs?.compiles.map((note, index) => ({
    ...note,
    message: index === 0 && failure !== null ? failure.message : null,
  }));
  return sendJson(context, {
    compiles: noted ?? [],
    reasons,
    compileCount: compiles,
    verificationCount: verifications,
  } satisfies AnswerOf<'getNodeHistory'>);
});

async function demandNode(context: HttpContext, { nodes }: FleetServices): Promise<NodeRecord> {
  const certname = certnameIn(context);
  const record = await nodes.get(certname);
  if (record === null) throw resourceNotFoundError('node', certname);
  return record;
}

async function sendCatalog(
  context: HttpContext,
  { blobs }: FleetServices,
  hash: string | undefined,
): Promise<Response> {
  const bytes = hash === undefined ? null : await loadCatalog(blobs, hash);
  if (bytes === null) throw notFoundError(`There is no such catalog of ${certnameIn(context)}`);
  return sendJson(context, hideSensitive(JSON.parse(gunzipSync(bytes).toString('utf8'))));
}

/** The same catalog with a word in place of each sensitive value, at any depth. */
function hideSensitive(catalog: unknown): unknown {
  if (!isJsonObject(catalog) || !Array.isArray(catalog.resources)) return catalog;
  return { ...catalog, resources: catalog.resources.map(hideInResource) };
}

function hideInResource(resource: unknown): unknown {
  if (!isJsonObject(resource)) return resource;
  const { parameters, sensitive_parameters: names } = resource;
  if (!isJsonObject(parameters)) return resource;
  const secret = new Set(Array.isArray(names) ? names.map(String) : []);
  const shown = Object.entries(parameters).map(([name, value]) => [
    name,
    secret.has(name) ? HIDDEN : hideSensitiveValues(value),
  ]);
  return { ...resource, parameters: Object.fromEntries(shown) };
}
