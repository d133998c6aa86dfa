import { useEffect, useState } from 'preact/hooks';
import { ApiFault } from '../../data/api-fault.ts';
import { type GroupPreview, previewGroup } from '../../data/group-preview.ts';
import { EmptyState } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FactList, Panel } from '../../parts/panel.tsx';

interface MatchingNodesProps {
  readonly body: Readonly<Record<string, unknown>>;
  readonly hasFaults: boolean;
}

/** Pause after the last key before the nodes are looked for. */
const PAUSE_MS = 500;

/** The nodes that match as one types, and what the change would do to them. */
export function MatchingNodes({ body, hasFaults }: MatchingNodesProps) {
  const [preview, setPreview] = useState<GroupPreview | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const wanted = JSON.stringify(body);
  useEffect(() => {
    if (hasFaults) return;
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        await previewGroup(JSON.parse(wanted) as MatchingNodesProps['body'], stop.signal, (found) => {
          setPreview(found);
          setFault(null);
        });
      } catch (error) {
        if (!stop.signal.aborted) setFault(error instanceof ApiFault ? error.message : 'The page failed to ask.');
      }
    };
    const timer = window.setTimeout(ask, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [wanted, hasFaults]);
  const least = preview?.isComplete === false ? 'at least ' : '';
  const title =
    preview === null || fault !== null
      ? 'Matching nodes'
      : `Matching nodes: ${least}${preview.matching.toLocaleString('en')}`;
  return (
    <Panel title={title}>
      <div class="matching" role="status">
        {fault !== null && <p class="field-fault">{fault}</p>}
        {preview === null && fault === null && <p class="muted">Looking for them</p>}
        {fault === null && preview?.isComplete === false && (
          <p class="notice notice-wait">
            The time was over before all nodes were read: more may match, and more may change.
          </p>
        )}
        {fault === null && preview !== null && <FoundNodes preview={preview} />}
      </div>
      {fault === null && preview?.changes != null && <Effect preview={preview} />}
      {fault === null && preview?.changes != null && (
        <Changes changes={preview.changes} count={preview.changed ?? preview.changes.length} />
      )}
    </Panel>
  );
}

function FoundNodes({ preview }: { readonly preview: GroupPreview }) {
  if (preview.matching === 0) return <p class="muted">No node matches.</p>;
  return (
    <ul class="name-list">
      {preview.nodes.map((name) => (
        <li key={name}>
          <NodeLink certname={name} />
        </li>
      ))}
      {preview.matching > preview.nodes.length && (
        <li class="muted">and {(preview.matching - preview.nodes.length).toLocaleString('en')} more</li>
      )}
    </ul>
  );
}

function Effect({ preview: { gained = 0, lost = 0, catalogs = 0, isComplete } }: { readonly preview: GroupPreview }) {
  const least = isComplete === false ? 'at least ' : '';
  const count = (number: number) => `${least}${number.toLocaleString('en')}`;
  return (
    <>
      <h3 class="matching-title">What saving changes</h3>
      <FactList
        entries={[
          ['Nodes gained', count(gained)],
          ['Nodes lost', count(lost)],
          ['Catalogs compiled again', count(catalogs)],
        ]}
      />
    </>
  );
}

type GroupChange = NonNullable<GroupPreview['changes']>[number];

const COLUMNS: readonly TableColumn<GroupChange>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => certname },
  { id: 'kind', title: 'What', show: ({ kind }) => kind },
  { id: 'summary', title: 'Change', isWide: true, show: ({ summary }) => summary },
];

function Changes({ changes, count }: { readonly changes: readonly GroupChange[]; readonly count: number }) {
  return (
    <>
      {changes.length === 0 ? (
        <EmptyState title="No node changes." />
      ) : (
        <DataTable
          label="What saving changes"
          columns={COLUMNS}
          rows={changes.slice(0, 100)}
          keyOf={(one) => one.certname}
        />
      )}
      {count > changes.length && (
        <p class="muted">and {(count - changes.length).toLocaleString('en')} more nodes that change</p>
      )}
    </>
  );
}
