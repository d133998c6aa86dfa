import { useState } from 'preact/hooks';
import { callApi, LONG_MS } from '../../data/api-client.ts';
import type { PreviewDifference, ShownPreview } from '../../data/code-shapes.ts';
import { useAction } from '../../data/use-action.ts';
import { EmptyState, Skeleton } from '../../parts/answer-view.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { ChangedValue } from '../../parts/shown-value.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';

/** What a deploy of an environment would change: nodes with equal differences together. */
export function PreviewPage({ environment }: { readonly environment: string }) {
  const [preview, setPreview] = useState<ShownPreview | null>(null);
  const start = useAction(async () => {
    const request = { method: 'POST', body: { environment }, lateMs: LONG_MS } as const;
    const { data } = await callApi('/understudy/v1/deploys/preview', request);
    setPreview(data as ShownPreview);
  });
  return (
    <>
      <PageHead
        title={`Dry run of ${environment}`}
        lead="Catalogs are compiled with the new code and compared; nothing is put in force"
        actions={
          <>
            <Link to="/code" class="button">
              Code
            </Link>
            <button
              type="button"
              class="button button-primary"
              disabled={start.isRunning}
              onClick={() => start.run(undefined)}
            >
              {preview === null ? 'Start' : 'Start again'}
            </button>
          </>
        }
      />
      {start.fault !== null && (
        <p class="notice notice-bad" role="alert">
          {start.fault.message}
        </p>
      )}
      {start.isRunning && <Skeleton lines={8} what="the differences" />}
      {!start.isRunning && preview === null && (
        <EmptyState title="The dry run has not started.">It compiles the nodes that the new code affects.</EmptyState>
      )}
      {!start.isRunning && preview !== null && <PreviewResult preview={preview} />}
    </>
  );
}

function PreviewResult({ preview }: { readonly preview: ShownPreview }) {
  const changed = preview.groups.reduce((sum, { count }) => sum + count, 0);
  const count = (number: number) => number.toLocaleString('en');
  const isBad = preview.failures.length > 0 || preview.faults.length > 0;
  return (
    <div class="form">
      <div class={isBad ? 'notice notice-bad' : 'notice notice-good'} role="status">
        <div>
          {count(preview.touched)} nodes use what changed; {count(preview.compared)} were compiled. {count(changed)}{' '}
          change, {count(preview.unchanged)} stay as they are, {count(preview.failures.length)} fail,{' '}
          {count(preview.fixed)} are mended.
          {preview.unanswered > 0 && ` For ${count(preview.unanswered)} the time was not enough.`}
        </div>
      </div>
      {preview.faults.length > 0 && (
        <Panel title="Files that Puppet does not accept">
          <CodeBlock label="Faults" text={preview.faults.map(({ message }) => message).join('\n')} />
        </Panel>
      )}
      {preview.failures.length > 0 && (
        <Panel title="Catalogs that fail">
          <DataTable
            label="Nodes whose catalogs fail"
            columns={FAILURE_COLUMNS}
            rows={preview.failures.slice(0, 200)}
            keyOf={({ certname }) => certname}
          />
        </Panel>
      )}
      {preview.groups.map((group) => (
        <DifferenceGroup key={group.nodes[0] ?? ''} group={group} />
      ))}
    </div>
  );
}

const FAILURE_COLUMNS: readonly TableColumn<ShownPreview['failures'][number]>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <Link to={pathOf('nodes', certname)}>{certname}</Link> },
  { id: 'isNew', title: 'Since when', show: ({ isNew }) => (isNew ? 'with this code' : 'already now') },
  { id: 'message', title: 'Error', isWide: true, show: ({ message }) => message },
];

/** So many differences of a group are shown. */
const MOST_SHOWN = 100;

function DifferenceGroup({ group }: { readonly group: ShownPreview['groups'][number] }) {
  const { nodes, count, differences } = group;
  const title = count === 1 ? '1 node' : `${count.toLocaleString('en')} nodes`;
  const names = nodes.slice(0, 5).join(', ');
  return (
    <Panel title={title} actions={<span class="muted group-names">{count > 5 ? `${names} …` : names}</span>}>
      <DataTable
        label={`Differences of ${names}`}
        columns={DIFFERENCE_COLUMNS}
        rows={differences.slice(0, MOST_SHOWN)}
        keyOf={({ resource, parameter }) => `${resource} ${parameter ?? ''}`}
      />
      {differences.length > MOST_SHOWN && <p class="muted">{differences.length - MOST_SHOWN} more are not shown.</p>}
    </Panel>
  );
}

const DIFFERENCE_COLUMNS: readonly TableColumn<PreviewDifference>[] = [
  { id: 'kind', title: 'Kind', show: ({ kind }) => <StateBadge state={kind} /> },
  { id: 'resource', title: 'Resource', isWide: true, show: ({ resource }) => <code>{resource}</code> },
  {
    id: 'parameter',
    title: 'Change',
    isWide: true,
    show: ({ parameter, from, to }) =>
      parameter === undefined ? '' : <ChangedValue name={parameter} from={from} to={to} />,
  },
];
