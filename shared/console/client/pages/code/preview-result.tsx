import type { ShownPreview } from '../../data/code-shapes.ts';
import { NodeLink } from '../../parts/certname.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { DifferenceGroups } from '../difference-groups.tsx';

/** The outcome of a dry run: nodes with equal differences together. */
export function PreviewResult({ preview }: { readonly preview: ShownPreview }) {
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
