import type { TouchedNodes } from '../data/code-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { CursorPager } from '../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { pathOf } from '../routing/match-route.ts';

const COLUMNS: readonly TableColumn<TouchedNodes['change']>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'summary',
    title: 'Change',
    isWide: true,
    show: ({ id, summary }) => <Link to={pathOf('why', 'change', id, 'nodes')}>{summary}</Link>,
  },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment ?? '' },
  { id: 'nodes', title: 'Nodes', isNumeric: true, show: ({ nodes }) => nodes?.toLocaleString('en') ?? '' },
  { id: 'user', title: 'By', show: ({ user }) => user ?? '' },
];

/** Changes of groups, exports, kept values or the strictness, newest first. */
export function OtherChanges({ kind }: { readonly kind: string }) {
  const [query] = useParameters();
  const wanted = new URLSearchParams({ kind, limit: '50' });
  for (const name of ['environment', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  const answer = useAnswer(`/understudy/v1/changes?${wanted}`, { events: ['node', 'deploy'] });
  if (answer.fault?.kind === 'not-found') return <EmptyState title="This server does not record them." />;
  return (
    <AnswerView answer={answer} what="the changes" lines={12}>
      {({ changes, next }) =>
        changes.length === 0 ? (
          <EmptyState title="Nothing of this kind has changed." />
        ) : (
          <>
            <DataTable label="Changes" columns={COLUMNS} rows={changes} keyOf={({ id }) => id} />
            <CursorPager isFirst={!query.has('cursor')} next={next === null ? null : { cursor: next }} />
          </>
        )
      }
    </AnswerView>
  );
}

const NODE_COLUMNS: readonly TableColumn<TouchedNodes['nodes'][number]>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <NodeLink certname={certname} /> },
  { id: 'why', title: 'Why', isWide: true, show: ({ why }) => why.join('; ') },
];

/** One change, and the nodes that it touched. */
export function OtherChangePage({ id }: { readonly id: string }) {
  const answer = useAnswer(`/understudy/v1/changes/${encodeURIComponent(id)}/nodes`);
  return (
    <>
      <PageHead title="Change" lead={answer.data?.change.summary ?? 'Which nodes it touched, and why these'} />
      <AnswerView answer={answer} what="the change" lines={10}>
        {({ nodes, omitted }) => (
          <Panel title={`Touched nodes: ${(nodes.length + omitted).toLocaleString('en')}`}>
            {nodes.length === 0 ? (
              <EmptyState title="It touched no node." />
            ) : (
              <DataTable
                label="Nodes that it touched"
                columns={NODE_COLUMNS}
                rows={nodes}
                keyOf={({ certname }) => certname}
              />
            )}
            {omitted > 0 && <p class="muted">and {omitted.toLocaleString('en')} more</p>}
          </Panel>
        )}
      </AnswerView>
    </>
  );
}
