import type { ApiSchema } from '../../../../api/described-answers.ts';
import { followNode } from '../../data/answer-options.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';

type Compile = ApiSchema<'NodeHistory'>['compiles'][number];

const COLUMNS: readonly TableColumn<Compile>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'outcome', title: 'Outcome', show: ({ outcome }) => <StateBadge state={outcome} /> },
  {
    id: 'why',
    title: 'Why',
    isWide: true,
    show: ({ message, reasons }) => (
      <>
        {message !== null && <p class="field-fault">{message}</p>}
        {reasons.length > 0 && (
          <ul class="readers">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </>
    ),
  },
  {
    id: 'duration',
    title: 'Took',
    isNumeric: true,
    show: ({ durationMs }) => (durationMs === null ? '' : printDuration(durationMs / 1000)),
  },
  { id: 'code', title: 'Code', show: ({ codeId }) => <ShortId id={codeId} /> },
  { id: 'hash', title: 'Catalog', show: ({ hash }) => <ShortId id={hash} /> },
];

/** The last compiles of a node, and why it was compiled. */
export function HistoryTab({ certname }: { readonly certname: string }) {
  const answer = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(certname)}/history`, followNode(certname));
  return (
    <AnswerView answer={answer} what="the compiles" lines={8}>
      {({ compiles, reasons, compileCount, verificationCount }) => (
        <div class="grid">
          <Panel title="Last compiles" actions={<span class="muted">{compileCount.toLocaleString('en')} in all</span>}>
            {compiles.length === 0 ? (
              <EmptyState title="Nothing was compiled yet." />
            ) : (
              <DataTable
                label="Compiles"
                columns={COLUMNS}
                rows={compiles}
                keyOf={({ outcome, at }) => `${outcome} ${at}`}
              />
            )}
          </Panel>
          <Panel title="Latest reasons">
            {reasons.length === 0 ? (
              <EmptyState title="There was no reason yet." />
            ) : (
              <ol class="reasons">
                {reasons.toReversed().map((reason, index) => (
                  <li key={`${index} ${reason}`}>{reason}</li>
                ))}
              </ol>
            )}
            <p class="muted">
              {verificationCount.toLocaleString('en')} times the inputs were found unchanged, and nothing was compiled.
            </p>
          </Panel>
        </div>
      )}
    </AnswerView>
  );
}
