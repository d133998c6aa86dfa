import type { ApiSchema } from '../../../api/described-answers.ts';
import {
  findReport,
  listReports,
  MOST_REPORTS,
  REPORT_STATUSES,
  type ReportPlace,
  type ReportQuery,
  type ReportSummary,
} from '../../../fleet/reports/node-reports.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { certnameIn, type HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { cursorParameter, printCursor } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const USUAL_LIMIT = 100;

/**
 * `GET reports?certname=&status=&since=&before=&cursor=&limit=`: summaries, newest first, received
 * at `since` or later, and earlier than `before`. The `cursor` of a summary leads to what follows.
 */
export const getReports = createRoute<FleetServices>('GET', '/understudy/v1/reports', async (context, services) => {
  const found = await listReports(services, readQuery(context));
  return sendJson(context, found.map(describeReport));
});

/** `GET reports/<certname>/<transaction uuid>`: one report, as the agent sent it. */
export const getReport = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/reports/:certname/:uuid',
  async (context, services) => {
    const certname = certnameIn(context);
    const uuid = context.req.param('uuid') ?? '';
    const report = await findReport(services, certname, uuid);
    if (!report) throw resourceNotFoundError('report', `${certname}/${uuid}`);
    return sendJson(context, report);
  },
);

/** A summary as lists show it. */
export function describeReport(found: ReportSummary): ApiSchema<'ReportSummary'> {
  const { quiet: _, changes: __, ...summary } = found;
  return { ...summary, cursor: printCursor(placeOf(found)) };
}

function readQuery(context: HttpContext): ReportQuery {
  const { certname, status, since, before, limit } = context.req.query();
  if (status !== undefined && !REPORT_STATUSES.some((known) => known === status)) {
    throw badRequestError(`The status must be one of ${REPORT_STATUSES.join(', ')}, not '${status}'`);
  }
  const most = limit === undefined ? USUAL_LIMIT : Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > MOST_REPORTS) {
    throw badRequestError(`'limit' must be a whole number from 1 to ${MOST_REPORTS}, not '${limit}'`);
  }
  return {
    certname,
    status,
    since: timeParameterOf('since', since),
    before: timeParameterOf('before', before),
    behind: readPlace(context),
    limit: most,
  };
}

function placeOf({ receivedAt, certname, transactionUuid }: ReportPlace): ReportPlace {
  return { receivedAt, certname, transactionUuid };
}

/** The place in the parameter `cursor`. Refuses (400) another text. */
export function readPlace(context: HttpContext): ReportPlace | undefined {
  return cursorParameter(context, isReportPlace) ?? undefined;
}

function isReportPlace(value: unknown): value is ReportPlace {
  if (!isJsonObject(value)) return false;
  const { receivedAt, certname, transactionUuid } = value;
  const isUuid = transactionUuid === null || typeof transactionUuid === 'string';
  return Number.isSafeInteger(receivedAt) && Number(receivedAt) >= 0 && typeof certname === 'string' && isUuid;
}

/** A time as a parameter has it: in milliseconds, or as ISO 8601. Refuses (400) another text. */
export function timeParameterOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(time) && time >= 0) return time;
  throw badRequestError(`'${name}' must be a time such as 2026-11-20T22:00:00Z, not '${text}'`);
}
