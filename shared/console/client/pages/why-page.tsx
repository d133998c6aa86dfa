import type { CodeDifference } from '../data/code-shapes.ts';
import { type Deploy, stateOfDeploy } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { CodeLink } from '../parts/code-link.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Pager, readPageNumber } from '../parts/pager.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { ChoiceBox, SearchBox } from '../parts/search-box.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';
import { FIRST_PAGE } from '../routing/parameters.ts';
import { OtherChanges } from './other-changes.tsx';
import { whyPath } from './why-path.ts';

const PAGE_SIZE = 50;

export const CHANGE_COLUMNS: readonly TableColumn<Deploy>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'change',
    title: 'Change',
    show: (deploy) => <Link to={whyPath(deploy)}>Deploy of {deploy.environment}</Link>,
  },
  {
    id: 'code',
    title: 'Code',
    show: ({ codeId, environment }) => <CodeLink codeId={codeId} environment={environment} />,
  },
  { id: 'state', title: 'State', show: (deploy) => <StateBadge state={stateOfDeploy(deploy)} /> },
  { id: 'user', title: 'By', show: ({ user }) => user },
];

/** The kinds of changes; deploys are the usual ones. */
const CHANGE_KINDS: readonly (readonly [string, string])[] = [
  ['', 'Deploys'],
  ['groups', 'Groups'],
  ['exports', 'Exported resources'],
  ['value', 'Kept values'],
  ['strictness', 'Strictness'],
];

/** Changes, newest first. */
export function WhyPage() {
  const [query] = useParameters();
  const environment = query.get('environment') ?? '';
  const filter = environment === '' ? '' : `&environment=${encodeURIComponent(environment)}`;
  const kind = CHANGE_KINDS.find(([id]) => id === query.get('kind'))?.[0] ?? '';
  const answer = useAnswer(kind === '' ? `/understudy/v1/deploys?limit=100${filter}` : null, { events: ['deploy'] });
  return (
    <>
      <PageHead title="Why" lead="What changed, which nodes it touched, and why these" />
      <div class="filters">
        <ChoiceBox label="Kind" name="kind" options={CHANGE_KINDS} />
        <SearchBox label="Environment" name="environment" placeholder="production" />
      </div>
      {kind !== '' && <OtherChanges kind={kind} />}
      {kind === '' && (
        <AnswerView answer={answer} what="the changes" lines={12}>
          {({ deploys }) =>
            deploys.length === 0 ? (
              <EmptyState title="Nothing has changed.">
                <Link to="/why">Look at all changes</Link>
              </EmptyState>
            ) : (
              <DataTable
                label="Changes"
                columns={CHANGE_COLUMNS}
                rows={deploys}
                keyOf={({ environment: name, at }) => `${name} ${at}`}
              />
            )
          }
        </AnswerView>
      )}
    </>
  );
}

type TouchedRow = CodeDifference['nodes'][number];

const NODE_COLUMNS: readonly TableColumn<TouchedRow>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <NodeLink certname={certname} /> },
  {
    id: 'why',
    title: 'It uses what changed',
    isWide: true,
    show: ({ why }) => (why.length === 0 ? 'It did; since then it was compiled without' : <Paths paths={why} />),
  },
];

/** Maximum number of paths shown of a list. */
const MOST_PATHS = 200;

function Paths({ paths }: { readonly paths: readonly string[] }) {
  return (
    <ul class="readers">
      {paths.slice(0, MOST_PATHS).map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}

interface ChangePageProps {
  readonly environment: string;
  readonly codeId: string;
}

/** One change: its files, and the nodes that it touched, each with the files that it uses. */
export function ChangePage({ environment, codeId }: ChangePageProps) {
  const [query, setParameters] = useParameters();
  const wanted = new URLSearchParams({ to: codeId, limit: String(PAGE_SIZE) });
  for (const name of ['from', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  const page = readPageNumber(query);
  const answer = useAnswer(`/understudy/v1/environments/${encodeURIComponent(environment)}/diff?${wanted}`);
  return (
    <>
      <PageHead
        title={`Deploy of ${environment}`}
        lead={
          <span class="lead-row">
            <ShortId id={codeId} what="the code id" />
            {query.has('from') && <span>compared with</span>}
            {query.has('from') && <ShortId id={query.get('from')} what="the code id" />}
          </span>
        }
        actions={
          <Link to="/why" class="button">
            All changes
          </Link>
        }
      />
      <AnswerView answer={answer} what="the difference" lines={12}>
        {(difference) => (
          <div class="grid">
            <FilesPanel files={difference.files} />
            <Panel
              title={
                difference.total === null ? 'Touched nodes' : `Touched nodes: ${difference.total.toLocaleString('en')}`
              }
            >
              {difference.nodes.length === 0 ? (
                <EmptyState title="No node uses what changed." />
              ) : (
                <DataTable
                  label="Nodes that it touched"
                  columns={NODE_COLUMNS}
                  rows={difference.nodes}
                  keyOf={({ certname }) => certname}
                />
              )}
            </Panel>
            <div class="span-12">
              <Pager
                shown={difference.nodes.length}
                total={difference.total}
                offset={(page - 1) * PAGE_SIZE}
                pageSize={PAGE_SIZE}
                hasNext={difference.next !== null}
                onPage={(step) =>
                  step === 1
                    ? setParameters({ cursor: difference.next, page: String(page + 1) })
                    : setParameters(FIRST_PAGE)
                }
              />
            </div>
          </div>
        )}
      </AnswerView>
    </>
  );
}

function FilesPanel({ files }: { readonly files: CodeDifference['files'] }) {
  const lists = [
    ['changed', files.changed],
    ['added', files.added],
    ['removed', files.removed],
  ] as const;
  return (
    <Panel title={`Files: ${files.count.toLocaleString('en')}`}>
      {files.count === 0 && <EmptyState title="No file differs." />}
      <div class="file-lists">
        {lists.map(([kind, paths]) =>
          paths.length === 0 ? null : (
            <div key={kind}>
              <StateBadge state={kind} />
              <Paths paths={paths} />
              {paths.length > MOST_PATHS && <p class="muted">and {paths.length - MOST_PATHS} more</p>}
            </div>
          ),
        )}
      </div>
    </Panel>
  );
}
