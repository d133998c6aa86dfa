import type { Change } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Pager, readPageNumber } from '../parts/pager.tsx';
import { PageHead } from '../parts/panel.tsx';
import { ChoiceBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { pathOf } from '../routing/match-route.ts';

const PAGE_SIZE = 50;

interface ChangeList {
  readonly changes: readonly Change[];
  readonly next: string | null;
}

interface TouchedNode {
  readonly certname: string;
  readonly state: string;
  readonly why: readonly string[];
}

interface ChangeDetails {
  readonly change: Change;
  readonly nodes: readonly TouchedNode[];
  readonly next: string | null;
  readonly total: number | null;
}

const KINDS: readonly (readonly [string, string])[] = [
  ['', 'All changes'],
  ['deploy', 'Deploys'],
  ['groups', 'Groups'],
  ['facts', 'Facts'],
  ['classification', 'Classifications'],
  ['exports', 'Exported resources'],
];

const COLUMNS: readonly TableColumn<Change>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'kind', title: 'What', show: ({ kind }) => kind },
  {
    id: 'summary',
    title: 'Change',
    isWide: true,
    show: ({ id, summary }) => <Link to={pathOf('why', id)}>{summary}</Link>,
  },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment ?? '' },
  { id: 'user', title: 'By', show: ({ user }) => user ?? '' },
  { id: 'nodes', title: 'Nodes', isNumeric: true, show: ({ nodes }) => nodes.toLocaleString('en') },
  { id: 'pending', title: 'Not current yet', isNumeric: true, show: ({ pending }) => pending.toLocaleString('en') },
];

/** What changed, newest first. */
export function WhyPage() {
  const [query, setParameters] = useParameters();
  const wanted = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (const name of ['kind', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  const answer = useAnswer<ChangeList>(`/understudy/v1/changes?${wanted}`, { events: ['node', 'deploy'] });
  return (
    <>
      <PageHead title="Why" lead="What changed, which nodes it touched, and why these" />
      <div class="filters">
        <ChoiceBox label="What" name="kind" options={KINDS} />
      </div>
      <AnswerView answer={answer} what="the changes" lines={12}>
        {({ changes, next }) =>
          changes.length === 0 ? (
            <EmptyState title="Nothing has changed.">
              <Link to="/why">Look at all changes</Link>
            </EmptyState>
          ) : (
            <>
              <DataTable label="Changes" columns={COLUMNS} rows={changes} keyOf={({ id }) => id} />
              <div class="pager">
                <button
                  type="button"
                  class="button"
                  disabled={!query.has('cursor')}
                  onClick={() => setParameters({ cursor: null })}
                >
                  Newest
                </button>
                <button
                  type="button"
                  class="button"
                  disabled={next === null}
                  onClick={() => setParameters({ cursor: next })}
                >
                  Earlier
                </button>
              </div>
            </>
          )
        }
      </AnswerView>
    </>
  );
}

const NODE_COLUMNS: readonly TableColumn<TouchedNode>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <Link to={pathOf('nodes', certname)}>{certname}</Link> },
  { id: 'state', title: 'State', show: ({ state }) => <StateBadge state={state} /> },
  { id: 'why', title: 'Why it was touched', isWide: true, show: ({ why }) => why.join('; ') },
];

/** One change: the nodes that it touched, each with the input that it changed. */
export function ChangePage({ id }: { readonly id: string }) {
  const [query, setParameters] = useParameters();
  const cursor = query.get('cursor') ?? '';
  const page = readPageNumber(query);
  const address = `/understudy/v1/changes/${encodeURIComponent(id)}/nodes?limit=${PAGE_SIZE}`;
  const answer = useAnswer<ChangeDetails>(cursor === '' ? address : `${address}&cursor=${encodeURIComponent(cursor)}`, {
    events: ['node'],
  });
  return (
    <>
      <PageHead
        title={answer.data?.change.summary ?? 'Change'}
        lead={answer.data === null ? 'What it touched' : <ChangeLead change={answer.data.change} />}
        actions={
          <Link to="/why" class="button">
            All changes
          </Link>
        }
      />
      <AnswerView answer={answer} what="the nodes" lines={10}>
        {({ nodes, next, total }) =>
          nodes.length === 0 ? (
            <EmptyState title="It touched no node." />
          ) : (
            <>
              <DataTable label="Touched nodes" columns={NODE_COLUMNS} rows={nodes} keyOf={({ certname }) => certname} />
              <Pager
                shown={nodes.length}
                total={total}
                offset={(page - 1) * PAGE_SIZE}
                pageSize={PAGE_SIZE}
                hasNext={next !== null}
                onPage={(step) =>
                  step === 1
                    ? setParameters({ cursor: next, page: String(page + 1) })
                    : setParameters({ cursor: null, page: null })
                }
              />
            </>
          )
        }
      </AnswerView>
    </>
  );
}

function ChangeLead({ change }: { readonly change: Change }) {
  return (
    <span class="lead-row">
      <span>{change.kind}</span>
      {change.environment !== null && <span>{change.environment}</span>}
      <RelativeTime at={change.at} />
      <span>
        {change.nodes.toLocaleString('en')} nodes, {change.pending.toLocaleString('en')} not current yet
      </span>
    </span>
  );
}
