import type { NodeHistory } from '../../data/node-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';

type Compile = NodeHistory['compiles'][number];

const COLUMNS: readonly TableColumn<Compile>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'outcome', title: 'Outcome', show: ({ outcome }) => <StateBadge state={outcome} /> },
  { id: 'reasons', title: 'Why', isWide: true, show: ({ reasons }) => reasons.join('; ') },
  {
    id: 'duration',
    title: 'Took',
    isNumeric: true,
    show: ({ durationMs }) => (durationMs === null ? '' : printDuration(durationMs / 1000)),
  },
  { id: 'code', title: 'Code', show: ({ codeId }) => <ShortId id={codeId} /> },
  { id: 'hash', title: 'Catalog', show: ({ hash }) => <ShortId id={hash} /> },
];

/** The last compiles and verifications of a node, with their reasons. */
export function HistoryTab({ certname }: { readonly certname: string }) {
  const answer = useAnswer<NodeHistory>(`/understudy/v1/nodes/${encodeURIComponent(certname)}/history`, {
    events: ['node'],
  });
  return (
    <AnswerView answer={answer} what="the compiles" lines={8}>
      {({ compiles }) =>
        compiles.length === 0 ? (
          <EmptyState title="Nothing was compiled yet." />
        ) : (
          <DataTable label="Compiles" columns={COLUMNS} rows={compiles} keyOf={({ at, hash }) => `${at} ${hash}`} />
        )
      }
    </AnswerView>
  );
}
