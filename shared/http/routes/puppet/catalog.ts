import { trustedFacts } from '../../../access/ca/trusted-facts.ts';
import { SHED_FACTOR } from '../../../fleet/catalogs/catalog-answers.ts';
import { environmentNotice } from '../../../fleet/catalogs/catalog-blob.ts';
import type { AcceptedCheckIn, CatalogAnswer, CheckIn, FactsText } from '../../../fleet/catalogs/catalog-service.ts';
import { retryAfterSeconds } from '../../../fleet/policies/freshness-policies.ts';
import { DEFAULT_POLICY } from '../../../fleet/policies/policy-fields.ts';
import { annotateRequest } from '../../access-log.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBody } from '../../body/read-body.ts';
import type { CatalogForm } from '../../body/read-form.ts';
import { certnameOf, type Endpoint, type HttpContext } from '../../endpoint.ts';
import { missingEnvironmentError } from '../../environment-parameter.ts';
import { internalServerError, JSON_TYPE, type Refusal, unavailableError } from '../../exchange/answers.ts';
import { type CatalogParameters, readCatalogParameters } from '../../exchange/catalog-parameters.ts';
import { compress, negotiateFormat, sendGzipped } from '../../exchange/content-encoding.ts';
import { withoutRichData } from '../../exchange/plain-catalog.ts';
import { checkInInTurn, refuseFacts } from '../../exchange/posted-facts.ts';
import { ProgressTimer } from '../../progress-timer.ts';
import type { AgentServices } from '../../services.ts';
import { listReturnedHeaders, passAnswer, readUpstreamAnswer } from '../../upstream/upstream-server.ts';

const NO_FORM: CatalogForm = new Map();
const RICH_JSON = 'application/vnd.puppet.rich+json';
const PSON = 'text/pson';
/** PSON is JSON that may contain invalid UTF-8; a catalog contains none. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  [RICH_JSON]: `${RICH_JSON}; charset=utf-8`,
  [PSON]: `${PSON};charset=utf-8`,
};

/**
 * `POST catalog/<certname>` with facts, or `GET` without: the node's catalog. The request is held
 * until a catalog is committed. Meanwhile the client gets interim responses, which leave the final
 * status open.
 */
export const catalogEndpoint: Endpoint<AgentServices> = {
  methods: ['GET', 'POST'],
  path: '/puppet/v3/catalog/:certname',
  onlyNodeItself: true,
  async handle(context, services) {
    const format = negotiateFormat(context, [RICH_JSON, 'application/json', PSON]);
    const leave = services.catalogRequests.tryAcquire();
    if (leave === null) throw tooMany(services);
    try {
      const environment = context.req.query('environment') ?? '';
      const compiler = await services.compiler.choose(certnameOf(context), environment);
      if (compiler !== 'understudy') return await answerFromUpstream(context, services, compiler === 'compare');
      return await answerCatalog(context, services, format);
    } finally {
      leave();
    }
  },
};

async function answerCatalog(context: HttpContext, services: AgentServices, format: string): Promise<Response> {
  const answer = await findAnswer(context, services);
  annotateRequest(context, { reason: answer.status, ...('codeId' in answer ? { codeId: answer.codeId } : {}) });
  switch (answer.status) {
    case 'current':
    case 'stale':
      return sendCatalog(context, answer.catalog, format);
    case 'failed':
      throw internalServerError(answer.message);
    case 'other-environment':
      return sendCatalog(context, await compress(environmentNotice(certnameOf(context), answer.environment)), format);
    case 'unknown-environment':
      throw await missingEnvironmentError(services, answer.environment);
    case 'unavailable':
      throw unavailableError('no catalog could be compiled in time', answer.retryAfterSeconds);
  }
}

/** The node's policy is not read yet, so the default policy applies. */
function tooMany({ clock }: AgentServices): Refusal {
  return unavailableError('too many nodes request catalogs', retryAfterSeconds(DEFAULT_POLICY, clock, SHED_FACTOR));
}

async function sendCatalog(context: HttpContext, gzipped: Uint8Array, format: string): Promise<Response> {
  const shown = format === RICH_JSON ? gzipped : await withoutRichData(gzipped);
  return sendGzipped(context, shown, CONTENT_TYPES[format] ?? JSON_TYPE);
}

/** The state of a held request: neither its body nor parsed facts. */
interface AcceptedRequest {
  readonly accepted: AcceptedCheckIn;
  readonly factsText: FactsText | null;
}

async function findAnswer(context: HttpContext, services: AgentServices): Promise<CatalogAnswer> {
  const progress = new ProgressTimer(context.env.reportProgress, services.settings.stillWorkingMs);
  try {
    const { accepted, factsText } = await acceptRequest(context, services, progress);
    if (accepted.kind === 'answered') return accepted.answer;
    return await accepted.wait(factsText, context.req.raw.signal);
  } finally {
    progress.stop();
  }
}

function readCatalogForm(context: HttpContext) {
  return readBody(context, BODIES.facts, 'readForm', null).catch((error: unknown) => refuseFacts(error));
}

/** Reads and accepts the request under the semaphore. */
async function acceptRequest(
  context: HttpContext,
  services: AgentServices,
  progress: ProgressTimer,
): Promise<AcceptedRequest> {
  const form = context.req.method === 'POST' ? (await readCatalogForm(context)).form : NO_FORM;
  progress.start();
  return checkInInTurn(context, services, form.get('facts')?.length ?? 0, async () => {
    const parameters = await readCatalogParameters(context, form, services);
    return { accepted: await accept(context, services, parameters), factsText: parameters.factsText };
  });
}

/**
 * Checks in. A node that requests a missing environment gets the default one, which the catalog
 * names.
 */
async function accept(
  context: HttpContext,
  services: AgentServices,
  parameters: CatalogParameters,
): Promise<AcceptedCheckIn> {
  const { environment } = parameters;
  const accepted = await services.catalogs.accept(checkInOf(context, parameters, environment, services));
  const { defaultEnvironment } = services.settings;
  const isUnknown = accepted.kind === 'answered' && accepted.answer.status === 'unknown-environment';
  if (!isUnknown || environment === defaultEnvironment) return accepted;
  return services.catalogs.accept(checkInOf(context, parameters, defaultEnvironment, services));
}

/**
 * Passes the request on to the existing Puppet Server, and its answer back unchanged. With
 * `isCompared` the node is compiled here as well, after its answer.
 */
async function answerFromUpstream(
  context: HttpContext,
  services: AgentServices,
  isCompared: boolean,
): Promise<Response> {
  const { peer } = context.env;
  if (peer === null) throw new Error('invariant: a catalog is asked for without a certificate');
  const isPost = context.req.method === 'POST';
  const { form, bytes: body } = isPost ? await readCatalogForm(context) : { form: NO_FORM, bytes: null };
  const progress = new ProgressTimer(context.env.reportProgress, services.settings.stillWorkingMs);
  progress.start();
  try {
    const answer = await services.compiler.askForCatalog(context, peer, body);
    annotateRequest(context, { reason: isCompared ? 'compare' : 'upstream' });
    if (!isCompared) return passAnswer(answer, context.req.method);
    const isRich = answer.headers['content-type']?.startsWith(RICH_JSON) === true;
    const theirs = { status: answer.statusCode ?? 502, bytes: await readUpstreamAnswer(answer), isRich };
    const parameters = await readCatalogParameters(context, form, services);
    const isTaken = services.shadows.add(checkInOf(context, parameters, parameters.environment, services), theirs);
    if (!isTaken) services.metrics.countSkippedComparison();
    return new Response(theirs.bytes, { status: theirs.status, headers: listReturnedHeaders(answer) });
  } finally {
    progress.stop();
  }
}

function checkInOf(
  context: HttpContext,
  { facts, checkEnvironment, checksumType }: CatalogParameters,
  environment: string,
  { settings }: AgentServices,
): CheckIn {
  const { peer } = context.env;
  if (peer === null) throw new Error('invariant: a catalog is asked for without a certificate');
  const trusted = trustedFacts(peer.certname, peer.extensions, settings.trustedNames);
  return { certname: peer.certname, environment, facts, trusted, checkEnvironment, checksumType };
}
