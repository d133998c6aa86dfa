import { findAppliedCatalog } from '../data/applied-catalog.ts';
import type { PuppetReport, ReportLog, ResourceEvent, ResourceStatus } from '../data/node-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { CodeLink } from '../parts/code-link.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Pager, readPageNumber } from '../parts/pager.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { ChangedValue } from '../parts/shown-value.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { printAbsolute, printDuration, RelativeTime, readMoment } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { pathOf } from '../routing/match-route.ts';

interface ReportPageProps {
  readonly certname: string;
  readonly uuid: string;
}

/** One report: its events, its log and where its time went. */
export function ReportPage({ certname, uuid }: ReportPageProps) {
  const answer = useAnswer<PuppetReport>(
    `/understudy/v1/reports/${encodeURIComponent(certname)}/${encodeURIComponent(uuid)}`,
  );
  const lead = (
    <span class="lead-row">
      <NodeLink certname={certname} />
      {answer.data !== null && <StateBadge state={answer.data.status} />}
      {answer.data !== null && <RelativeTime at={answer.data.time} />}
    </span>
  );
  return (
    <>
      <PageHead title="Report" lead={lead} />
      <AnswerView answer={answer} what="the report" lines={16}>
        {(report) => (
          <div class="grid">
            <ReportSummaryPanel certname={certname} report={report} uuid={uuid} />
            <TimePanel report={report} />
            <EventsPanel report={report} />
            <LogPanel logs={report.logs ?? []} />
          </div>
        )}
      </AnswerView>
    </>
  );
}

interface ReportSummaryProps {
  readonly certname: string;
  readonly report: PuppetReport;
  readonly uuid: string;
}

function ReportSummaryPanel({ certname, report, uuid }: ReportSummaryProps) {
  const counts = new Map(report.metrics?.resources?.values?.map(([name, , value]) => [name, value]));
  return (
    <Panel title="Run" span={6}>
      <FactList
        entries={[
          ['Began', readMoment(report.time) === null ? 'unknown' : printAbsolute(readMoment(report.time) ?? 0)],
          ['Mode', report.noop === true ? 'noop: nothing was changed' : 'applied'],
          ['Environment', report.environment ?? 'unknown'],
          ['Code', <CodeLink key="code" codeId={report.code_id ?? null} environment={report.environment ?? null} />],
          ['Configuration version', String(report.configuration_version ?? 'unknown')],
          ['Catalog', <ReportCatalog key="catalog" certname={certname} report={report} />],
          ['Puppet', report.puppet_version ?? 'unknown'],
          [
            'Transaction',
            <span key="uuid">
              <code>{uuid}</code>
              <CopyButton text={uuid} what="the transaction's UUID" />
            </span>,
          ],
          [
            'Resources',
            ['total', 'changed', 'failed', 'skipped'].map((name) => `${counts.get(name) ?? 0} ${name}`).join(', '),
          ],
        ]}
      />
    </Panel>
  );
}

interface ReportCatalogProps {
  readonly certname: string;
  readonly report: PuppetReport;
}

/** The catalog that the run applied, with a link to it while it is kept. */
function ReportCatalog({ certname, report }: ReportCatalogProps) {
  const { catalog_uuid: uuid = null } = report;
  const node = useAnswer(uuid === null ? null : `/understudy/v1/nodes/${encodeURIComponent(certname)}`);
  if (uuid === null) return <>none: the server gave the run no catalog</>;
  const applied = node.data === null ? 'other' : findAppliedCatalog(node.data, uuid);
  if (applied === 'present') return <Link to={pathOf('nodes', certname, 'catalog')}>The present one</Link>;
  if (applied === 'other') return <>an earlier one</>;
  return <Link to={pathOf('nodes', certname, 'difference')}>The one before the present one</Link>;
}

function TimePanel({ report }: { readonly report: PuppetReport }) {
  const times = (report.metrics?.time?.values ?? []).filter(([name]) => name !== 'total');
  const longest = times.toSorted((a, b) => b[2] - a[2]).slice(0, 7);
  const most = Math.max(1e-9, ...longest.map(([, , seconds]) => seconds));
  return (
    <Panel title="Time" span={6}>
      {longest.length === 0 ? (
        <EmptyState title="The report has no times." />
      ) : (
        <ul class="bars">
          {longest.map(([name, label, seconds]) => (
            <li key={name}>
              <span>{label}</span>
              <span class="bar-track">
                <span class="bar ground-accent" style={{ width: `${(100 * seconds) / most}%` }} />
              </span>
              <span class="bar-value">{printDuration(seconds)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

type ReportPlaces = Pick<PuppetReport, 'environment' | 'code_id'>;

interface ReportEventRow {
  readonly key: string;
  readonly ref: string;
  readonly status: ResourceStatus;
  readonly event: ResourceEvent;
}

const columnsOf = ({ environment, code_id }: ReportPlaces): readonly TableColumn<ReportEventRow>[] => [
  { id: 'status', title: 'Status', show: ({ event }) => <StateBadge state={event.status ?? 'unknown'} /> },
  {
    id: 'resource',
    title: 'Resource',
    isWide: true,
    show: ({ ref, status }) => (
      <>
        <code class="input-name">{ref}</code>
        {typeof status.file === 'string' && (
          <PlaceLink
            file={status.file}
            line={status.line ?? null}
            environment={environment ?? null}
            codeId={code_id ?? null}
          >
            <span class="muted">
              {status.file}:{status.line ?? '?'}
            </span>
          </PlaceLink>
        )}
      </>
    ),
  },
  {
    id: 'change',
    title: 'Change',
    isWide: true,
    show: ({ event }) => (
      <>
        {event.message}
        <ChangedValue
          name={event.property ?? ''}
          from={event.previous_value ?? undefined}
          to={event.desired_value ?? undefined}
        />
      </>
    ),
  },
];
const EVENTS_A_PAGE = 50;

function EventsPanel({ report }: { readonly report: PuppetReport }) {
  const [query] = useParameters();
  const rows = Object.entries(report.resource_statuses ?? {}).flatMap(([ref, status]) =>
    (status.events ?? []).map((event, index) => ({ key: `${ref} ${index}`, ref, status, event })),
  );
  const sorted = rows.toSorted((a, b) => Number(b.event.status === 'failure') - Number(a.event.status === 'failure'));
  const offset = (readPageNumber(query) - 1) * EVENTS_A_PAGE;
  const shown = sorted.slice(offset, offset + EVENTS_A_PAGE);
  return (
    <Panel title="Events" actions={<span class="muted">{rows.length}</span>}>
      {rows.length === 0 ? (
        <EmptyState title="The run changed nothing." />
      ) : (
        <DataTable label="Events of the run" columns={columnsOf(report)} rows={shown} keyOf={({ key }) => key} />
      )}
      {rows.length > EVENTS_A_PAGE && (
        <Pager shown={shown.length} total={rows.length} offset={offset} pageSize={EVENTS_A_PAGE} />
      )}
    </Panel>
  );
}

/** Maximum number of log lines shown. */
const MOST_LINES = 1_000;

function LogPanel({ logs }: { readonly logs: readonly ReportLog[] }) {
  return (
    <Panel title="Log" actions={<span class="muted">{logs.length} lines</span>}>
      {logs.length === 0 ? (
        <EmptyState title="The run logged nothing." />
      ) : (
        <ol class="log">
          {logs.slice(0, MOST_LINES).map((line, index) => (
            <li key={`${line.time} ${index}`} class={`log-${line.level}`}>
              <span class="log-level">{line.level}</span>
              <span class="log-text">
                <span class="muted">{line.source}:</span> {line.message}
                {typeof line.file === 'string' && (
                  <span class="muted">
                    {' '}
                    ({line.file}:{line.line ?? '?'})
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
