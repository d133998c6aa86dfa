import type { ApiSchema } from '../../../../api/described-answers.ts';
import { followNode } from '../../data/answer-options.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';

type FactChange = ApiSchema<'FactChanges'>['changes'][number];

const COLUMNS: readonly TableColumn<FactChange>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'path', title: 'Fact', show: ({ path }) => <Link to={`/facts?path=${encodeURIComponent(path)}`}>{path}</Link> },
  { id: 'from', title: 'Before', isWide: true, show: ({ from }) => <FactText text={from} /> },
  { id: 'to', title: 'After', isWide: true, show: ({ to }) => <FactText text={to} /> },
];

function FactText({ text }: { readonly text: string | null }) {
  return text === null ? <span class="muted">none</span> : <code>{text}</code>;
}

/** The facts of a node that changed, newest first. */
export function FactChangesPanel({ certname }: { readonly certname: string }) {
  const answer = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(certname)}/facts/changes`, followNode(certname));
  return (
    <Panel title="Facts that changed">
      <AnswerView answer={answer} what="the changes of facts" lines={3}>
        {({ changes }) =>
          changes.length === 0 ? (
            <EmptyState title="No change is known.">
              What changes at each run, such as the uptime, is left out.
            </EmptyState>
          ) : (
            <DataTable
              label="Facts that changed"
              columns={COLUMNS}
              rows={changes}
              keyOf={({ at, path }) => `${at} ${path}`}
            />
          )
        }
      </AnswerView>
    </Panel>
  );
}
