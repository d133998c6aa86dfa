import type { RunFailures } from '../../../fleet/failures/run-failures.ts';
import { storeQuietRun, storeReport } from '../../../fleet/reports/node-reports.ts';
import { packQuietRun } from '../../../fleet/reports/quiet-run.ts';
import { readRunChanges, readRunDuration } from '../../../fleet/reports/run-changes.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBody } from '../../body/read-body.ts';
import { getCertname, type HttpContext } from '../../endpoint.ts';
import { requireEnvironment } from '../../environment-parameter.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { compress, JSON_FORMATS, sendJson } from '../../exchange/content-encoding.ts';
import { demandFormat, describeUnexpected, isNotJson } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

/**
 * `PUT report/<certname>`: stores the report; answers the names of the report processors, of which
 * there is one.
 */
export const putReport = createRoute<AgentServices>('PUT', '/puppet/v3/report/:certname', async (context, services) => {
  await requireEnvironment(context, services);
  demandFormat(context, JSON_FORMATS);
  await keep(context, services, await readReport(context));
  return sendJson(context, ['store']);
});

interface ReadReport {
  readonly bytes: Uint8Array;
  /** The report's own members. */
  readonly report: Readonly<Record<string, unknown>>;
  /** Null for a run that did not fail. */
  readonly failures: RunFailures | null;
}

async function readReport(context: HttpContext): Promise<ReadReport> {
  const { depth, values } = BODIES.report;
  const wanted = { depth, values, wholes: ['metrics'] };
  const read = await readBody(context, BODIES.report, 'readReport', wanted).catch((error: unknown) => {
    if (!isNotJson(error)) throw error;
    throw badRequestError(`The request body is invalid: ${describeUnexpected(error.json.rest)}`);
  });
  const { bytes, members, failures } = read;
  if (members === null) throw badRequestError('The request body is invalid: a report is a JSON object');
  const report = Object.fromEntries(members);
  checkParts(report);
  return { bytes, report, failures };
}

/**
 * The parts of a report that Puppet reads, in its order, with the method it calls on each. Puppet:
 * Puppet::Transaction::Report#initialize_from_hash
 */
const PARTS = [
  ['metrics', 'each'],
  ['logs', 'map'],
  ['resource_statuses', 'map'],
] as const;

/** Refuses, in Ruby's words, a report without a mandatory part. */
function checkParts(report: Readonly<Record<string, unknown>>): void {
  for (const [part, method] of PARTS) {
    const value = report[part] ?? null;
    if (typeof value === 'object' && value !== null) continue;
    const receiver = value === null ? 'nil:NilClass' : `the ${typeof value} that stands for '${part}'`;
    throw badRequestError(
      `The request body is invalid: Could not intern from json: undefined method \`${method}' for ${receiver}`,
    );
  }
}

async function keep(
  context: HttpContext,
  services: AgentServices,
  { bytes, report: body, failures }: ReadReport,
): Promise<void> {
  const { status, environment, time, puppet_version, transaction_uuid, catalog_uuid, noop } = body;
  const changes = readRunChanges(body.metrics);
  const summary = {
    certname: getCertname(context),
    receivedAt: services.clock.now(),
    status,
    environment: textOrNull(environment),
    time: textOrNull(time),
    puppetVersion: textOrNull(puppet_version),
    transactionUuid: textOrNull(transaction_uuid),
    ...(typeof catalog_uuid === 'string' ? { catalogUuid: catalog_uuid } : {}),
    noop: noop === true,
    ...(changes === null ? {} : { changes }),
  };
  const { reportsKept: kept, reportDays: days } = services.settings;
  const { certname } = summary;
  const durationMs = readRunDuration(body.metrics);
  const timed = { ...summary, ...(durationMs === null ? {} : { durationMs }) };
  // A quiet run keeps its metrics, which say how long it took.
  if (isQuiet(body)) await storeQuietRun(services, { ...summary, quiet: packQuietRun(body) });
  else await storeReport(services, timed, await compress(bytes), { kept, days });
  await services.runFailures.note({
    ...{ certname, at: summary.receivedAt, failures },
    environment: summary.environment ?? services.settings.defaultEnvironment,
    transactionUuid: summary.transactionUuid,
    catalogUuid: textOrNull(catalog_uuid),
    codeId: textOrNull(body.code_id),
  });
  services.visits.noteReport(certname);
  services.hours.noteRun(status, summary.noop);
}

/**
 * Whether a run changed nothing, and would have changed nothing without noop. Agents before Puppet
 * 5.5 do not report the latter.
 */
function isQuiet({ status, noop, noop_pending: isPending = noop }: Readonly<Record<string, unknown>>): boolean {
  return status === 'unchanged' && isPending !== true;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
