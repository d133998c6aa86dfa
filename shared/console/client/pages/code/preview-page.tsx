import { useState } from 'preact/hooks';
import { callApi, LONG_MS } from '../../data/api-client.ts';
import type { ShownPreview } from '../../data/code-shapes.ts';
import { useAction } from '../../data/use-action.ts';
import { EmptyState, Skeleton } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { DifferenceGroups } from '../difference-groups.tsx';

/**
 * Preview of a deploy of an environment: nodes with equal differences together. `code` in the
 * address names earlier code, to look at a roll back.
 */
export function PreviewPage({ environment }: { readonly environment: string }) {
  const [query] = useParameters();
  const codeId = query.get('code');
  const [preview, setPreview] = useState<ShownPreview | null>(null);
  const start = useAction(async () => {
    const body = codeId === null ? { environment } : { environment, codeId };
    setPreview((await callApi('/understudy/v1/deploys/preview', { method: 'POST', body, lateMs: LONG_MS })).data);
  });
  return (
    <>
      <PageHead
        title={`Dry run of ${environment}`}
        lead={
          <>
            Catalogs are compiled with {codeId === null ? 'the new code' : <ShortId id={codeId} />} and compared;
            nothing is put in force
          </>
        }
        actions={
          <>
            <Link to="/code" class="button">
              Code
            </Link>
            <button
              type="button"
              class="button button-primary"
              aria-disabled={start.isRunning}
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
        <EmptyState title="The dry run has not started.">
          It compiles the nodes that the {codeId === null ? 'new' : 'earlier'} code affects, which takes two minutes at
          most.
        </EmptyState>
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
          {preview.touched === 1 ? '1 node uses' : `${count(preview.touched)} nodes use`} what changed;{' '}
          {count(preview.compared)} compiled: {count(changed)} change, {count(preview.unchanged)} stay as they are,{' '}
          {count(preview.failures.length)} fail, {count(preview.fixed)} are mended.
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
      <DifferenceGroups groups={preview.groups} />
    </div>
  );
}

const FAILURE_COLUMNS: readonly TableColumn<ShownPreview['failures'][number]>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <NodeLink certname={certname} /> },
  { id: 'isNew', title: 'Since when', show: ({ isNew }) => (isNew ? 'with this code' : 'already now') },
  { id: 'message', title: 'Error', isWide: true, show: ({ message }) => message },
];
