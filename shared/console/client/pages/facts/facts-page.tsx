import type { ApiSchema } from '../../../../api/described-answers.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { withParameters } from '../../routing/parameters.ts';

type FactValues = ApiSchema<'FactValues'>;
type FactValue = FactValues['values'][number];

/** Facts that are looked at first. */
const USUAL = [
  ...['os.name', 'os.release.full', 'kernelrelease', 'puppetversion', 'virtual', 'processors.count'],
  ...['memory.system.total', 'timezone'],
];

/** A fact over all nodes: its values, and how many nodes have each. */
export function FactsPage() {
  const [query] = useParameters();
  const path = query.get('path') ?? '';
  return (
    <>
      <PageHead
        title="Facts"
        lead="The values of a fact over all nodes"
        actions={
          <Link to="/facts/compare" class="button">
            Compare two nodes
          </Link>
        }
      />
      <div class="grid">
        <Panel title="Choose a fact" span={4}>
          <FactPaths chosen={path} />
        </Panel>
        <div class="span-8">
          {path === '' ? (
            <EmptyState title="No fact is chosen.">Choose one from the list.</EmptyState>
          ) : (
            <Distribution path={path} />
          )}
        </div>
      </div>
    </>
  );
}

function FactPaths({ chosen }: { readonly chosen: string }) {
  const [query] = useParameters();
  const find = query.get('find') ?? '';
  const answer = useAnswer(find === '' ? null : `/understudy/v1/facts?search=${encodeURIComponent(find)}`);
  return (
    <>
      <SearchBox label="Part of its path" name="find" placeholder="os.release" isMonospaced />
      {find === '' ? (
        <PathList label="Usual facts" paths={USUAL} chosen={chosen} />
      ) : (
        <AnswerView answer={answer} what="the paths" lines={8}>
          {({ paths, hasMore }) => (
            <>
              {paths.length === 0 && <EmptyState title="No node has such a fact." />}
              <PathList label="Facts that were found" paths={paths} chosen={chosen} />
              {hasMore && <p class="muted">There are more: write more of the path.</p>}
            </>
          )}
        </AnswerView>
      )}
    </>
  );
}

interface PathListProps {
  readonly label: string;
  readonly paths: readonly string[];
  readonly chosen: string;
}

function PathList({ label, paths, chosen }: PathListProps) {
  const [query] = useParameters();
  return (
    <ul class="path-list" aria-label={label}>
      {paths.map((path) => (
        <li key={path}>
          <Link
            to={withParameters('/facts', query, { path })}
            class="tree-link mono"
            aria-current={path === chosen ? 'page' : undefined}
          >
            {path}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Distribution({ path }: { readonly path: string }) {
  const answer = useAnswer(`/understudy/v1/facts/values?path=${encodeURIComponent(path)}`);
  const { data } = answer;
  return (
    <Panel title={path} actions={data !== null && <RelativeTime at={data.at} />}>
      <AnswerView answer={answer} what="the values" lines={10}>
        {(found) =>
          found.values.every(({ value }) => value === null) ? (
            <EmptyState title="No node has this fact." />
          ) : (
            <Values found={found} />
          )
        }
      </AnswerView>
    </Panel>
  );
}

function Values({ found }: { readonly found: FactValues }) {
  const { values, distinct, others, total } = found;
  return (
    <>
      <DataTable
        label="Values of the fact"
        columns={columnsOf(found)}
        rows={values}
        keyOf={({ value }) => `${value}`}
      />
      <p class="table-foot muted" role="status">
        {distinct === null ? 'There are more than 5,000 values: these are some of them.' : describe(distinct, total)}
        {others !== null && others > 0 && ` ${others.toLocaleString('en')} nodes have another value than these.`}
      </p>
    </>
  );
}

function describe(distinct: number, total: number): string {
  return `${distinct === 1 ? '1 value' : `${distinct.toLocaleString('en')} values`} on ${total.toLocaleString('en')} nodes.`;
}

function columnsOf({ total }: FactValues): readonly TableColumn<FactValue>[] {
  return [
    { id: 'value', title: 'Value', isWide: true, show: (one) => <ValueLink one={one} /> },
    {
      id: 'chart',
      title: 'Share',
      isWide: true,
      show: ({ nodes, value }) => (
        <span class="share">
          <span class="bar-track" aria-hidden="true">
            <span
              class={`bar ground-${value === null ? 'mute' : 'accent'}`}
              style={{ width: `${(100 * nodes) / Math.max(1, total)}%` }}
            />
          </span>
          <span class="bar-value">{printPercentage(nodes, total)}</span>
        </span>
      ),
    },
    { id: 'nodes', title: 'Nodes', isNumeric: true, show: ({ nodes }) => nodes.toLocaleString('en') },
  ];
}

function ValueLink({ one: { value, query } }: { readonly one: FactValue }) {
  const words = value === null ? 'none' : value.replace(/^"(.*)"$/, '$1');
  const shown = value === null ? <em>{words}</em> : <code>{words}</code>;
  return query === null ? shown : <Link to={`/nodes?query=${encodeURIComponent(query)}`}>{shown}</Link>;
}

function printPercentage(part: number, whole: number): string {
  const share = (100 * part) / Math.max(1, whole);
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(share < 10 ? 1 : 0)} %`;
}
