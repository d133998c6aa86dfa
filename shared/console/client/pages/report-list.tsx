import type { ComponentChildren } from 'preact';
import type { ReportRow } from '../data/node-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { ChoiceBox, SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { pathOf } from '../routing/match-route.ts';

/** Reports of one request; the API gives 1,000 at most. */
const STEPS = [50, 200, 1_000] as const;
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

/** Reports, newest first: all, or those of a node. Status and number are in the address. */
export function ReportList({ certname }: { readonly certname: string | null }) {
  const [query, setParameters] = useParameters();
  const limit = STEPS.find((step) => String(step) === query.get('limit')) ?? STEPS[0];
  const wanted = certname ?? query.get('certname') ?? '';
  const answer = useAnswer<readonly ReportRow[]>(addressOf(query.get('status') ?? '', wanted, limit), {
    events: ['report'],
  });
  const more = STEPS.find((step) => step > limit);
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
              {reports.length === limit && more !== undefined && (
                <div class="pager">
                  <span class="pager-range">The newest {limit} are shown.</span>
                  <button type="button" class="button" onClick={() => setParameters({ limit: String(more) })}>
                    Show {more.toLocaleString('en')}
                  </button>
                </div>
              )}
            </>
          )
        }
      </AnswerView>
    </>
  );
}

function addressOf(status: string, certname: string, limit: number): string {
  const wanted = new URLSearchParams({ limit: String(limit) });
  if (status !== '') wanted.set('status', status);
  if (certname !== '') wanted.set('certname', certname);
  return `/understudy/v1/reports?${wanted}`;
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
