import type { ComponentChildren } from 'preact';
import { followNode } from '../data/answer-options.ts';
import type { ReportRow } from '../data/node-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { CursorPager } from '../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { ChoiceBox, SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { pathOf } from '../routing/match-route.ts';
import type { ParameterChanges } from '../routing/parameters.ts';

const PAGE_SIZE = 50;
const STATUSES: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['failed', 'Failed'],
  ['changed', 'Changed'],
  ['unchanged', 'Unchanged'],
];

const NODE: TableColumn<ReportRow> = {
  id: 'certname',
  title: 'Node',
  isWide: true,
  show: ({ certname }) => <Link to={pathOf('nodes', certname, 'reports')}>{certname}</Link>,
};
const COLUMNS: readonly TableColumn<ReportRow>[] = [
  {
    id: 'received',
    title: 'Received',
    show: (report) => (
      <ReportLink report={report}>
        <RelativeTime at={report.receivedAt} />
      </ReportLink>
    ),
  },
  { id: 'status', title: 'Status', show: ({ status }) => <StateBadge state={status} /> },
  { id: 'noop', title: 'Mode', show: ({ noop }) => (noop ? 'noop' : '') },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment ?? '' },
  { id: 'version', title: 'Puppet', show: ({ puppetVersion }) => puppetVersion ?? '' },
];

/** Reports, newest first: all, or those of a node. Filters and the page are in the address. */
export function ReportList({ certname }: { readonly certname: string | null }) {
  const [query] = useParameters();
  const answer = useAnswer(
    addressOf(query, certname),
    certname === null ? { events: ['report'] } : followNode(certname, ['report']),
  );
  const isFirst = !query.has('cursor') && !query.has('before');
  return (
    <>
      <div class="filters">
        <ChoiceBox label="Status" name="status" options={STATUSES} />
        {certname === null && <SearchBox label="Certname" name="certname" placeholder="web01.example.com" />}
      </div>
      <AnswerView answer={answer} what="the reports" lines={14}>
        {(reports) =>
          reports.length === 0 ? (
            <EmptyState title="There is no such report.">
              A report arrives at the end of each run of an agent.
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Reports"
                columns={certname === null ? [NODE, ...COLUMNS] : COLUMNS}
                rows={reports}
                keyOf={(report) => `${report.certname} ${report.transactionUuid} ${report.receivedAt}`}
              />
              <CursorPager isFirst={isFirst} next={reports.length < PAGE_SIZE ? null : placeAfter(reports)} />
            </>
          )
        }
      </AnswerView>
    </>
  );
}

function addressOf(query: URLSearchParams, certname: string | null): `/understudy/v1/reports?${string}` {
  const wanted = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (const name of ['status', 'certname', 'cursor', 'before']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  if (certname !== null) wanted.set('certname', certname);
  return `/understudy/v1/reports?${wanted}`;
}

/** The parameters of the page behind these reports. A server without cursors goes on by time. */
function placeAfter(reports: readonly ReportRow[]): ParameterChanges {
  const last = reports.at(-1);
  if (last?.cursor !== undefined) return { cursor: last.cursor, before: null };
  return { cursor: null, before: last === undefined ? null : String(last.receivedAt) };
}

interface ReportLinkProps {
  readonly report: ReportRow;
  readonly children: ComponentChildren;
}

/** A link to a report, where all of it is kept. */
export function ReportLink({ report, children }: ReportLinkProps) {
  const { certname, transactionUuid, blob } = report;
  if (transactionUuid === null || blob === null) return <>{children}</>;
  return <Link to={pathOf('reports', certname, transactionUuid)}>{children}</Link>;
}
