import type { ApiSchema } from '../../../../api/described-answers.ts';
import { followNode } from '../../data/answer-options.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeLink } from '../../parts/code-link.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';

type Compile = ApiSchema<'NodeHistory'>['compiles'][number];

interface HistoryTabProps {
  readonly certname: string;
  /** The environment of the node; null while it is not known. */
  readonly environment: string | null;
}

/** The columns; `changed` is the compile that gave the present catalog. */
const columnsOf = (
  { certname, environment }: HistoryTabProps,
  changed: Compile | null,
): readonly TableColumn<Compile>[] => [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'outcome', title: 'Outcome', show: ({ outcome }) => <StateBadge state={outcome} /> },
  {
    id: 'why',
    title: 'Why',
    isWide: true,
    show: (compile) => {
      const { message, reasons } = compile;
      return (
        <>
          {message !== null && <p class="field-fault">{message}</p>}
          {reasons.length > 0 && (
            <ul class="readers">
              {reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          )}
          {compile === changed && (
            <Link to={pathOf('nodes', certname, 'difference')}>What it changed in the catalog</Link>
          )}
        </>
      );
    },
  },
  {
    id: 'duration',
    title: 'Took',
    isNumeric: true,
    show: ({ durationMs }) => (durationMs === null ? '' : printDuration(durationMs / 1000)),
  },
  { id: 'code', title: 'Code', show: ({ codeId }) => <CodeLink codeId={codeId} environment={environment} /> },
  { id: 'hash', title: 'Catalog', show: ({ hash }) => <ShortId id={hash} what="the hash of the catalog" /> },
];

/** The last compiles of a node, and why it was compiled. */
export function HistoryTab(props: HistoryTabProps) {
  const { certname } = props;
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
                columns={columnsOf(props, findChange(compiles))}
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

/** The compile that gave the present catalog; null when all that are kept gave it, or none did. */
function findChange(compiles: readonly Compile[]): Compile | null {
  const made = compiles.filter(({ hash }) => hash !== null);
  const first = made.findIndex(({ hash }) => hash !== made[0]?.hash);
  return first < 1 ? null : (made[first - 1] ?? null);
}
