import type { ComponentChildren } from 'preact';
import { followNode } from '../data/answer-options.ts';
import type { ReportRow } from '../data/node-shapes.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { CursorPager } from '../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { ChoiceBox, SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { printDuration, RelativeTime, useNow } from '../parts/time.tsx';
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
  show: ({ certname }) => <NodeLink certname={certname} tab="reports" />,
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
  {
    id: 'took',
    title: 'Took',
    isNumeric: true,
    show: ({ durationMs }) => (durationMs === undefined ? '' : printDuration(durationMs / 1000)),
  },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment ?? '' },
  { id: 'version', title: 'Puppet', show: ({ puppetVersion }) => puppetVersion ?? '' },
];

/** Times before now, by hours. */
const WITHIN: readonly (readonly [string, string])[] = [
  ['', 'Any time'],
  ['1', 'Last hour'],
  ['24', 'Last day'],
  ['168', 'Last week'],
];
const HOUR_MS = 3_600_000;
/** The beginning of a span moves on in such steps, so that the address stays for a while. */
const STEP_MS = 300_000;
/** Filters by what a run did, which only the inventory knows. */
const DEEP = ['environment', 'resource', 'message'] as const;

/** Reports, newest first: all, or those of a node. Filters and the page are in the address. */
export function ReportList({ certname }: { readonly certname: string | null }) {
  const [query] = useParameters();
  const maySearch = usePermission('nodes', 'view_data');
  const isSearch = maySearch && DEEP.some((name) => (query.get(name) ?? '') !== '');
  return (
    <>
      <div class="filters">
        <ChoiceBox label="Status" name="status" options={STATUSES} />
        <ChoiceBox label="Received" name="within" options={WITHIN} />
        {certname === null && <SearchBox label="Certname" name="certname" placeholder="web01.example.com" />}
        {maySearch && (
          <>
            <SearchBox label="Environment" name="environment" placeholder="production" />
            <SearchBox label="Resource" name="resource" placeholder="File[/etc/motd]" />
            <SearchBox label="Message contains" name="message" placeholder="No space left" />
          </>
        )}
      </div>
      {isSearch ? <FoundReports certname={certname} /> : <ListedReports certname={certname} />}
    </>
  );
}

interface ReportsOf {
  /** Null: reports of all nodes. */
  readonly certname: string | null;
}

function ListedReports({ certname }: ReportsOf) {
  const wanted = useWanted(['status', 'certname', 'cursor', 'before'], certname);
  const answer = useAnswer(`/understudy/v1/reports?${wanted}`, followReports(certname));
  return (
    <AnswerView answer={answer} what="the reports" lines={14}>
      {(reports) => (
        <ReportTable
          certname={certname}
          reports={reports}
          next={reports.length < PAGE_SIZE ? null : placeAfter(reports)}
        />
      )}
    </AnswerView>
  );
}

/** Reports by their environment, and by events of their runs. */
function FoundReports({ certname }: ReportsOf) {
  const wanted = useWanted(['status', 'certname', 'cursor', 'before', ...DEEP], certname);
  const answer = useAnswer(`/understudy/v1/reports/search?${wanted}`, followReports(certname));
  return (
    <AnswerView answer={answer} what="the reports" lines={14}>
      {({ reports, hasMore, since }) => (
        <>
          <p class="table-lead">
            Runs since <RelativeTime at={since} />, as the inventory knows them.
          </p>
          <ReportTable certname={certname} reports={reports} next={hasMore ? placeAfter(reports) : null} />
        </>
      )}
    </AnswerView>
  );
}

interface ReportTableProps extends ReportsOf {
  readonly reports: readonly ReportRow[];
  readonly next: ParameterChanges | null;
}

function ReportTable({ certname, reports, next }: ReportTableProps) {
  const [query] = useParameters();
  if (reports.length === 0) {
    return (
      <EmptyState title="There is no such report.">A report arrives at the end of each run of an agent.</EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Reports"
        columns={certname === null ? [NODE, ...COLUMNS] : COLUMNS}
        rows={reports}
        keyOf={(report) => `${report.certname} ${report.transactionUuid} ${report.receivedAt}`}
      />
      <CursorPager isFirst={!query.has('cursor') && !query.has('before')} next={next} />
    </>
  );
}

function followReports(certname: string | null) {
  return certname === null ? { events: ['report'] } : followNode(certname, ['report']);
}

/** The parameters to ask with: those of the address, and the beginning of the chosen time. */
function useWanted(names: readonly string[], certname: string | null): URLSearchParams {
  const [query] = useParameters();
  const now = useNow();
  const wanted = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (const name of names) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  if (certname !== null) wanted.set('certname', certname);
  const hours = Number(query.get('within') ?? '0');
  if (hours > 0) wanted.set('since', String(Math.floor(now / STEP_MS) * STEP_MS - hours * HOUR_MS));
  return wanted;
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
