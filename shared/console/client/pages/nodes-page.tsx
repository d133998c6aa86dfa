import type { NodeListRow, NodePage } from '../data/node-shapes.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { NoNodeYet } from '../parts/no-node-yet.tsx';
import { Pager, readPageNumber } from '../parts/pager.tsx';
import { PageHead } from '../parts/panel.tsx';
import { ChoiceBox, SearchBox } from '../parts/search-box.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { usePopover } from '../parts/use-popover.ts';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { QueryTable } from './query-table.tsx';

const PAGE_SIZE = 50;
const ALWAYS: TableColumn<NodeListRow> = {
  id: 'certname',
  title: 'Node',
  isSortable: true,
  isWide: true,
  show: ({ certname }) => <NodeLink certname={certname} />,
};
const COLUMNS: readonly TableColumn<NodeListRow>[] = [
  {
    id: 'state',
    title: 'State',
    isSortable: true,
    show: ({ state, cause }) => (
      <StateBadge state={state === 'failing' && cause !== null ? `failing ${cause}` : state} />
    ),
  },
  { id: 'environment', title: 'Environment', isSortable: true, show: ({ environment }) => environment },
  { id: 'lastSeen', title: 'Last seen', isSortable: true, show: ({ lastSeen }) => <RelativeTime at={lastSeen} /> },
  { id: 'compiledAt', title: 'Compiled', isSortable: true, show: ({ compiledAt }) => <RelativeTime at={compiledAt} /> },
  {
    id: 'report',
    title: 'Last report',
    show: ({ reportStatus }) =>
      reportStatus === null ? <span class="muted">not known</span> : <StateBadge state={reportStatus} />,
  },
  {
    id: 'failure',
    title: 'Failure',
    isWide: true,
    show: ({ failure }) => (failure === null ? '' : <Clamped text={failure} />),
  },
];
const DEFAULT_COLUMNS = 'state,environment,lastSeen,compiledAt,report,failure';
const STATES: readonly (readonly [string, string])[] = [
  ['', 'All states'],
  ['current', 'Current'],
  ['stale', 'Stale'],
  ['failing', 'Failing'],
  ['volatile', 'Volatile'],
  ['silent', 'Silent'],
  ['new', 'New'],
];

/** The causes of failing nodes. */
const CAUSES: readonly (readonly [string, string])[] = [
  ['', 'Compile or run'],
  ['compile', 'Compile'],
  ['run', 'Run'],
];

/** The beginning of a text; all of it on hover. */
function Clamped({ text }: { readonly text: string }) {
  return (
    <span class="clamped" title={text}>
      {text}
    </span>
  );
}

/** The nodes, page by page. */
export function NodesPage() {
  const [query] = useParameters();
  const pql = (query.get('query') ?? '').trim();
  const mayQuery = usePermission('nodes', 'view_data');
  const isRows = pql !== '' && query.get('show') === 'rows';
  const answer = useAnswer(isRows ? null : addressOf(query), { events: ['node', 'report'] });
  return (
    <>
      <PageHead
        title="Nodes"
        lead={
          <span role="status">
            {answer.data === null ? 'Every node that asked this server' : <Count page={answer.data} />}
          </span>
        }
      />
      <div class="filters">
        <ChoiceBox label="State" name="state" options={STATES} />
        {(query.get('state') === 'failing' || query.has('cause')) && (
          <ChoiceBox label="Fails in" name="cause" options={CAUSES} />
        )}
        <SearchBox label="Name contains" name="search" placeholder="web01" />
        <EnvironmentChoice />
        {mayQuery && (
          <SearchBox label="PQL" name="query" placeholder='inventory { facts.os.family = "Debian" }' isMonospaced />
        )}
        {pql !== '' && mayQuery && <ChoiceBox label="Show" name="show" options={SHOWN} />}
        <ColumnChoice />
        <RunOnThese page={isRows ? null : answer.data} pql={pql} />
      </div>
      {isRows ? (
        <QueryTable pql={pql} />
      ) : (
        <AnswerView answer={answer} what="the nodes" lines={16}>
          {(page) => <NodeTable page={page} />}
        </AnswerView>
      )}
    </>
  );
}

/** Views of a query: the nodes that it finds, or its rows. */
const SHOWN: readonly (readonly [string, string])[] = [
  ['', 'Nodes'],
  ['rows', 'Rows of the query'],
];

/** Leads to a job on what the list shows: what the query finds, or the nodes of this page. */
function RunOnThese({ page, pql }: { readonly page: NodePage | null; readonly pql: string }) {
  const mayRun = usePermission('puppet_agent', 'run');
  const [query] = useParameters();
  const names = page?.nodes.map(({ certname }) => certname) ?? [];
  if (!mayRun || names.length === 0) return null;
  const isQuery =
    pql !== '' && !['state', 'cause', 'search', 'environment'].some((name) => (query.get(name) ?? '') !== '');
  const target = isQuery
    ? new URLSearchParams({ target: 'query', query: pql })
    : new URLSearchParams({ nodes: names.join(',') });
  return (
    <Link to={`/jobs/new?${target}`} class="button">
      {isQuery
        ? 'Run on what the query finds'
        : names.length === 1
          ? 'Run on this node'
          : `Run on these ${names.length}`}
    </Link>
  );
}

/** The deployed environments. */
function EnvironmentChoice() {
  const { data } = useAnswer('/understudy/v1/environments');
  const names = data?.environments.map(({ name }) => [name, name] as const) ?? [];
  return <ChoiceBox label="Environment" name="environment" options={[['', 'All'], ...names]} />;
}

function Count({ page }: { readonly page: NodePage }) {
  const { total, isComplete } = page;
  const words = total === 1 ? '1 node matches' : `${total.toLocaleString('en')} nodes match`;
  return <>{isComplete ? words : `${words}, still counting`}</>;
}

/** Parameters that choose nodes. */
const FILTERS = ['state', 'cause', 'search', 'environment', 'query', 'cursor'];

function addressOf(query: URLSearchParams): `/understudy/v1/nodes?${string}` {
  const wanted = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value !== null && value !== '') wanted.set(name, value);
  }
  const sort = query.get('sort') ?? 'certname';
  wanted.set('sort', sort.replace(/^-/, ''));
  wanted.set('order', sort.startsWith('-') ? 'desc' : 'asc');
  return `/understudy/v1/nodes?${wanted}`;
}

/** The cursors of the pages before, by the cursor that they led to. */
const earlier = new Map<string, string>();

function NodeTable({ page }: { readonly page: NodePage }) {
  const [query, setParameters] = useParameters();
  const chosen = readColumns(query);
  const number = readPageNumber(query);
  if (page.nodes.length === 0) {
    const isFiltered = FILTERS.some((name) => (query.get(name) ?? '') !== '');
    return isFiltered ? (
      <EmptyState title="No node matches.">
        <Link to="/nodes">Remove the filters</Link>, or point an agent at this server.
      </EmptyState>
    ) : (
      <NoNodeYet />
    );
  }
  const turn = (step: 1 | -1) => {
    const cursor = query.get('cursor') ?? '';
    if (step === 1 && page.next !== null) earlier.set(page.next, cursor);
    const next = step === 1 ? page.next : (earlier.get(cursor) ?? '');
    setParameters({ cursor: next, page: next === '' ? null : String(number + step) });
  };
  return (
    <>
      <DataTable
        label="Nodes"
        columns={[ALWAYS, ...COLUMNS.filter(({ id }) => chosen.has(id) && !isEmpty(id, page))]}
        rows={page.nodes}
        keyOf={({ certname }) => certname}
        defaultSort="certname"
      />
      <Pager
        shown={page.nodes.length}
        total={page.total}
        offset={(number - 1) * PAGE_SIZE}
        pageSize={PAGE_SIZE}
        hasNext={page.next !== null}
        onPage={turn}
      />
    </>
  );
}

/** Whether a column that the usual fleet has no use for is empty on the page. */
function isEmpty(id: string, { nodes }: NodePage): boolean {
  return id === 'failure' && nodes.every(({ failure }) => failure === null);
}

function readColumns(query: URLSearchParams): ReadonlySet<string> {
  return new Set((query.get('columns') ?? DEFAULT_COLUMNS).split(','));
}

/** Choice of the table's columns, kept in the address. */
function ColumnChoice() {
  const [query, setParameters] = useParameters();
  const { isOpen, setOpen, button, handlers } = usePopover();
  const chosen = readColumns(query);
  const toggle = (id: string) => {
    const next = COLUMNS.map((column) => column.id).filter((one) => (one === id ? !chosen.has(one) : chosen.has(one)));
    const columns = next.join(',') === DEFAULT_COLUMNS ? null : next.join(',');
    setParameters({ columns, page: query.get('page'), cursor: query.get('cursor') }, { replace: true });
  };
  return (
    <div class="column-choice" {...handlers}>
      <button ref={button} type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Columns
      </button>
      {isOpen && (
        <div class="popover" tabIndex={-1}>
          {COLUMNS.map(({ id, title }) => (
            <label key={id} class="check">
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              <span>{title}</span>
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
