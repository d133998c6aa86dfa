import { askForCompile, type CompileQuestion, type CompileReply } from '../../../fleet/compiles/compile-question.ts';
import { HierarchyStore } from '../../../fleet/groups/hierarchy-store.ts';
import { groupNode } from '../../../fleet/groups/node-grouping.ts';
import { FreshnessPolicies, retryAfterSeconds } from '../../../fleet/policies/freshness-policies.ts';
import { isEnvironmentName } from '../../../puppet/environment/directory-environment.ts';
import { isLogged, LOG_LEVELS, type LogEntry, type LogLevel } from '../../../puppet/errors/compile-log.ts';
import { TooManyValues } from '../../../puppet/types/format/json-reader.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import type { FairQueue } from '../../../util/fair-queue.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { certnameOf, type HttpContext } from '../../endpoint.ts';
import { plainRefusal, type Refusal, tooManyValuesError, unavailableError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readFactsBody } from '../../exchange/posted-facts.ts';
import { parseJsonText } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

const REQUIRED = ['certname', 'persistence', 'environment'];

interface CatalogRequest extends CompileQuestion {
  readonly keepsFacts: boolean;
  readonly keepsCatalog: boolean;
  /** The lowest log level in the answer; null for no log. */
  readonly logLevel: LogLevel | null;
}

/**
 * `POST /puppet/v4/catalog`: the catalog of any node, for services that the operator's rules allow;
 * Puppet Server's default rules allow none. A worker compiles it. Nothing is stored unless
 * `persistence` demands it.
 */
// Differs from Puppet: storing the facts is a check-in of the node; storing the catalog compiles it
// for the node as after a check-in.
export const postCatalogV4 = createRoute<AgentServices>('POST', '/puppet/v4/catalog', async (context, services) => {
  const request = await readRequest(await readFactsBody(context, explainRefused), certnameOf(context), services);
  const environment = await services.environments.get(request.environment);
  if (environment === null)
    throw compileFailedError(`Could not find a directory environment named '${request.environment}'`);
  const { signal } = context.req.raw;
  const question = { ...request, grouped: await groupByFacts(request, services) };
  const reply = await askForCompile(question, services, services.settings.compileHoldMs, signal);
  if (reply === null) throw await inVain(request, services);
  if (reply.status === 'failed') throw compileFailedError(reply.message);
  if (request.keepsFacts || request.keepsCatalog) await keep(request, services);
  return answer(context, services, request, reply);
});

/** Classifies a node with these facts by node groups; undefined without facts or groups. */
async function groupByFacts({ certname, facts, trusted }: CatalogRequest, services: AgentServices) {
  if (facts === null) return undefined;
  const groups = await new HierarchyStore(services).read();
  const subject = { name: certname, fact: facts, trusted: trusted ?? PuppetHash.of([['certname', certname]]) };
  return groupNode(groups, subject, services.clock.now())?.classification;
}

/** No catalog in time: the service gets the Retry-After of the node's policy. */
async function inVain({ certname, environment }: CatalogRequest, services: AgentServices): Promise<Refusal> {
  const policy = await new FreshnessPolicies(services.documents).resolve(certname, environment);
  return unavailableError('no catalog could be compiled in time', retryAfterSeconds(policy, services.clock));
}

/** Stores the facts for the node's next compile, without waiting for it. */
async function keep({ certname, environment, facts, trusted }: CatalogRequest, services: AgentServices): Promise<void> {
  if (facts === null || trusted === null) return;
  await services.catalogs.accept({ certname, environment, facts, trusted, isAwaited: false });
}

async function answer(
  context: HttpContext,
  services: AgentServices,
  request: CatalogRequest,
  reply: CompileReply & { readonly status: 'ok' },
): Promise<Response> {
  const response = await sendJson(context, toAnswer(services, request, reply));
  // Puppet: this route has no charset in its content type, unlike those of /puppet/v3.
  response.headers.set('Content-Type', 'application/json');
  return response;
}

function toAnswer(
  { clock }: AgentServices,
  { logLevel }: CatalogRequest,
  { catalog, log }: CompileReply & { readonly status: 'ok' },
) {
  if (logLevel === null) return { catalog };
  const time = new Date(clock.now()).toISOString().replace('Z', '000000+00:00');
  const shown = log.filter(({ level }) => isLogged(level, logLevel));
  return { catalog, logs: shown.map((entry) => logLine(entry, time)) };
}

function logLine({ level, message, source, file, line }: LogEntry, time: string) {
  return { level, message, source: source ?? 'Puppet', tags: [level], time, file: file ?? null, line: line ?? null };
}

async function readRequest(text: string, client: string, { longTexts }: AgentServices): Promise<CatalogRequest> {
  const body = await parse(text, client, longTexts);
  const missing = REQUIRED.filter((key) => !body.has(key)).map((key) => `"${key}" missing-required-key`);
  if (missing.length > 0) throw invalidRequestError(missing.join(', '));
  const certname = body.get('certname');
  const environment = body.get('environment');
  const persistence = body.get('persistence');
  const options = hashOr(body.get('options') ?? new PuppetHash(), 'options');
  if (typeof certname !== 'string' || !/^[\w.-]{1,255}$/.test(certname))
    throw invalidRequestError('"certname" no-certname');
  if (typeof environment !== 'string' || !isEnvironmentName(environment))
    throw invalidRequestError('"environment" no-name');
  const keeps = hashOr(persistence ?? null, 'persistence');
  const level = LOG_LEVELS.find((one) => one === (options.get('log_level') ?? 'debug'));
  if (level === undefined) throw invalidRequestError('"options" {"log_level" no-level}');
  return {
    certname,
    environment,
    facts: valuesOf(body, 'facts'),
    trusted: valuesOf(body, 'trusted_facts'),
    keepsFacts: keeps.get('facts') === true,
    keepsCatalog: keeps.get('catalog') === true,
    preferRequested: options.get('prefer_requested_environment') === true,
    logLevel: options.get('capture_logs') === true ? level : null,
  };
}

/** The message with which `parse` refuses a short text. */
function explainRefused(message: string): Refusal {
  return plainRefusal(400, `Error parsing JSON: ${message}`);
}

async function parse(text: string, client: string, longTexts: FairQueue): Promise<PuppetHash> {
  try {
    return hashOr(await parseJsonText(text, longTexts, client), 'request');
  } catch (error) {
    if (error instanceof TooManyValues) throw tooManyValuesError('The facts', BODIES.facts.values);
    if (error instanceof SyntaxError) throw explainRefused(error.message);
    throw error;
  }
}

function valuesOf(body: PuppetHash, name: string): PuppetHash | null {
  const given = body.get(name);
  return given === undefined ? null : hashOr(hashOr(given, name).get('values') ?? null, name);
}

function hashOr(value: Value, name: string): PuppetHash {
  if (value instanceof PuppetHash) return value;
  throw invalidRequestError(`"${name}" no-hash`);
}

function invalidRequestError(what: string) {
  return plainRefusal(400, `Invalid input: {${what}}`);
}

function compileFailedError(message: string) {
  return plainRefusal(500, `Internal Server Error: ${message}`);
}
