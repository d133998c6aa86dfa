import { stateOfDeploy } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { RUN_MEASURE, RUN_PARTS, WORK_MEASURES, type WorkMeasure } from '../data/work-measures.ts';
import { joinHours, SPANS, type WorkOverview, type WorkSpan } from '../data/work-spans.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { ColumnChart } from '../parts/charts.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { ChoiceBox } from '../parts/search-box.tsx';
import { printAbsolute, printRelative } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';

const HOUR_MS = 3_600_000;
const RANGES: readonly (readonly [string, string])[] = [
  ['', 'Last day'],
  ['168', 'Last week'],
  ['720', 'Last month'],
];
/** Runs, compiles, held check-ins, the queue and fan-out over time, with deploys. */
export function WorkOverTimePanel() {
  const [query] = useParameters();
  const wanted = query.get('hours') ?? '';
  const hours = wanted in SPANS ? wanted : '24';
  const measure = WORK_MEASURES.find(({ id }) => id === query.get('measure')) ?? RUN_MEASURE;
  const answer = useAnswer(`/understudy/v1/overview/hours?hours=${hours}`, { every: 60_000 });
  const choices = WORK_MEASURES.map(({ id, title }) => [id, title] as const);
  return (
    <Panel
      title="Work over time"
      actions={
        <>
          <ChoiceBox label="Show" name="measure" options={choices} />
          <ChoiceBox label="Time" name="hours" options={RANGES} />
        </>
      }
    >
      <AnswerView answer={answer} what="the work" lines={6}>
        {(work) => <WorkOverTime work={work} step={SPANS[hours] ?? 1} measure={measure} />}
      </AnswerView>
    </Panel>
  );
}

interface WorkOverTimeProps {
  readonly work: WorkOverview;
  readonly step: number;
  readonly measure: WorkMeasure;
}

function WorkOverTime({ work, step, measure }: WorkOverTimeProps) {
  const spans = joinHours(work, step);
  if (spans.length === 0) {
    return (
      <EmptyState title="No run was counted in this time.">Each process writes its counts once a minute.</EmptyState>
    );
  }
  const from = Math.floor(work.from / (step * HOUR_MS)) * step * HOUR_MS;
  const { parts, title, unit } = measure;
  return (
    <>
      <ColumnChart
        label={`${title} over time`}
        from={from}
        to={work.at}
        step={step * HOUR_MS}
        columns={spans.map((span) => ({
          at: span.at,
          title: describeSpan(span, measure),
          parts: parts.map(({ label, tone, read }) => ({ label, tone, value: read(span) })),
        }))}
        marks={work.deploys.map((deploy) => ({
          id: `${deploy.environment} ${deploy.at}`,
          at: deploy.at,
          title: `Deploy of ${deploy.environment}, ${printAbsolute(deploy.at)}: ${stateOfDeploy(deploy)}`,
          tone: deploy.isInForce ? 'good' : 'accent',
        }))}
        ends={[printRelative(from, work.at), 'now']}
        linkOf={reportsBefore}
        {...(unit === undefined ? {} : { unit })}
      />
      <ul class="legend">
        {parts.map(({ label, tone }) => (
          <li key={label}>
            <span class={`legend-mark ground-${tone}`} />
            {label}
          </li>
        ))}
        <li>
          <span class="legend-mark legend-round ground-accent" />
          deploy
        </li>
      </ul>
      <details class="chart-table">
        <summary>All of it as a table</summary>
        <DataTable label="Work over time" columns={COLUMNS} rows={spans.toReversed()} keyOf={({ at }) => String(at)} />
      </details>
    </>
  );
}

/** The address of the reports that were there at a time. */
function reportsBefore(at: number): string {
  return `/reports?before=${at}`;
}

function describeSpan(span: WorkSpan, { title, parts, unit }: WorkMeasure): string {
  const values = parts.map(({ label, read }) => `${read(span).toLocaleString('en')}${unit ? ` ${unit}` : ''} ${label}`);
  const time = span.p99 === null || title !== 'Compiles' ? '' : `, 99 % below ${span.p99} ms`;
  return `${printAbsolute(span.at)}: ${title}: ${values.join(', ')}${time}`;
}

const count = (id: string, title: string, read: (span: WorkSpan) => number): TableColumn<WorkSpan> => ({
  id,
  title,
  show: (span) => read(span).toLocaleString('en'),
});
const time = (id: string, title: string, read: (span: WorkSpan) => number | null): TableColumn<WorkSpan> => ({
  id,
  title,
  show: (span) => {
    const milliseconds = read(span);
    return milliseconds === null ? '' : `≤ ${milliseconds.toLocaleString('en')} ms`;
  },
});
const COLUMNS: readonly TableColumn<WorkSpan>[] = [
  { id: 'from', title: 'From', show: ({ at }) => <Link to={reportsBefore(at + HOUR_MS)}>{printAbsolute(at)}</Link> },
  ...RUN_PARTS.toReversed().map(({ label, read }) =>
    count(label, `${label.charAt(0).toUpperCase()}${label.slice(1)}`, read),
  ),
  count('held', 'Held', ({ held }) => held),
  count('stale', 'Got the last good', ({ stale }) => stale),
  count('refused', 'Refused', ({ refused }) => refused),
  count('compiled', 'Compiled', ({ compiled }) => compiled),
  count('uncompiled', 'Not compiled', ({ failedCompiles }) => failedCompiles),
  time('p50', 'Half of compiles', ({ p50 }) => p50),
  time('p99', '99 % of compiles', ({ p99 }) => p99),
  count('queue', 'Oldest job (s)', ({ queueAgeMs }) => Math.round(queueAgeMs / 1000)),
  count('invalidated', 'Invalidated', ({ invalidated }) => invalidated),
];
