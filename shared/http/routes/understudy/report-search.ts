import type { AnswerOf } from '../../../api/described-answers.ts';
import { REPORT_STATUSES } from '../../../fleet/reports/node-reports.ts';
import { askForReports, type ReportFilter, readFoundReports } from '../../../fleet/reports/report-search.ts';
import { DAY_MS } from '../../../util/day.ts';
import { askInventory } from '../../ask-inventory.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, wordParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';
import { describeReport, readPlace, timeParameterOf } from './reports.ts';

const USUAL_LIMIT = 50;
const MOST_LIMIT = 200;
const LONGEST_TEXT = 500;
/** Without `since`, reports of so many days are looked at. */
const USUAL_DAYS = 7;

/**
 * `GET reports/search`: reports by the filters `resource`, `message`, `environment`, `status`,
 * `certname`, `since` and `before`, page by page (`cursor`, `limit`), newest first. The first two
 * are about the events of a run.
 */
export const searchReports = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/reports/search',
  async (context, { rows: inventory, documents, clock }) => {
    const filter = readFilter(context, clock.now());
    const rows = await askInventory(inventory, askForReports(filter), 'Reports are searched');
    const { reports, hasMore } = await readFoundReports(rows, filter, documents);
    return sendJson(context, {
      since: filter.since,
      reports: reports.map(describeReport),
      hasMore,
    } satisfies AnswerOf<'searchReports'>);
  },
);

function readFilter(context: HttpContext, now: number): ReportFilter {
  const { since, before } = context.req.query();
  return {
    resource: readText(context, 'resource'),
    message: readText(context, 'message'),
    environment: readText(context, 'environment'),
    certname: readText(context, 'certname'),
    status: wordParameter(context, 'status', REPORT_STATUSES),
    since: timeParameterOf('since', since) ?? now - USUAL_DAYS * DAY_MS,
    before: timeParameterOf('before', before) ?? null,
    behind: readPlace(context) ?? null,
    limit: countParameter(context, 'limit', USUAL_LIMIT, MOST_LIMIT),
  };
}

function readText(context: HttpContext, name: string): string | null {
  const text = context.req.query(name)?.trim() ?? '';
  if (text.length > LONGEST_TEXT) throw badRequestError(`'${name}' has more than ${LONGEST_TEXT} characters`);
  return text === '' ? null : text;
}
