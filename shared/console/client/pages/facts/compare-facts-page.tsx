import { type ComparedFact, compareFacts } from '../../data/compare-facts.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { ChoiceBox, SearchBox } from '../../parts/search-box.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';

const PAGE_SIZE = 100;
const SHOWN: readonly (readonly [string, string])[] = [
  ['', 'Differences'],
  ['all', 'All facts'],
];

/** The facts of two nodes side by side. */
export function CompareFactsPage() {
  const [query] = useParameters();
  const [first, second] = [query.get('a') ?? '', query.get('b') ?? ''];
  return (
    <>
      <PageHead
        title="Compare facts"
        lead="Two nodes, side by side"
        actions={
          <Link to="/facts" class="button">
            A fact over all nodes
          </Link>
        }
      />
      <div class="filters">
        <SearchBox label="First node" name="a" placeholder="web01.example.com" />
        <SearchBox label="Second node" name="b" placeholder="web02.example.com" />
        <SearchBox label="Find a name or a value" name="find" placeholder="os.family" />
        <ChoiceBox label="Show" name="show" options={SHOWN} />
      </div>
      {first === '' || second === '' ? (
        <EmptyState title="Two nodes are needed.">Write the certnames of both.</EmptyState>
      ) : (
        <Comparison key={`${first} ${second}`} first={first} second={second} />
      )}
    </>
  );
}

function Comparison({ first, second }: { readonly first: string; readonly second: string }) {
  const one = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(first)}/facts`);
  const other = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(second)}/facts`);
  return (
    <AnswerView answer={one} what={`the facts of ${first}`} lines={10}>
      {(ofFirst) => (
        <AnswerView answer={other} what={`the facts of ${second}`} lines={10}>
          {(ofSecond) => (
            <ComparedFacts first={first} second={second} facts={compareFacts(ofFirst.facts, ofSecond.facts)} />
          )}
        </AnswerView>
      )}
    </AnswerView>
  );
}

interface ComparedFactsProps {
  readonly first: string;
  readonly second: string;
  readonly facts: readonly ComparedFact[];
}

function ComparedFacts({ first, second, facts }: ComparedFactsProps) {
  const [query] = useParameters();
  const wanted = (query.get('find') ?? '').toLowerCase();
  const differing = facts.filter((one) => one.first !== one.second);
  const chosen = query.get('show') === 'all' ? facts : differing;
  const found = chosen.filter((one) => `${one.path}\n${one.first}\n${one.second}`.toLowerCase().includes(wanted));
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  const rows = found.slice(offset, offset + PAGE_SIZE);
  return (
    <>
      <p class="table-lead" role="status">
        {differing.length.toLocaleString('en')} of {facts.length.toLocaleString('en')} values differ.
      </p>
      {rows.length === 0 ? (
        <EmptyState title={wanted === '' ? 'Both nodes have the same facts.' : 'No fact matches.'} />
      ) : (
        <DataTable
          label="Facts of both nodes"
          columns={columnsOf(first, second)}
          rows={rows}
          keyOf={({ path }) => path}
        />
      )}
      <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
    </>
  );
}

function columnsOf(first: string, second: string): readonly TableColumn<ComparedFact>[] {
  const columnOf = (certname: string, id: 'first' | 'second'): TableColumn<ComparedFact> => ({
    id,
    title: certname,
    isWide: true,
    show: (fact) => <ComparedValue text={fact[id]} isOther={fact.first !== fact.second} />,
  });
  return [
    { id: 'path', title: 'Fact', isWide: true, show: ({ path }) => <code class="input-name">{path}</code> },
    columnOf(first, 'first'),
    columnOf(second, 'second'),
  ];
}

function ComparedValue({ text, isOther }: { readonly text: string | null; readonly isOther: boolean }) {
  if (text === null) return <em class="muted">none</em>;
  return isOther ? (
    <mark class="differs">
      <code>{text}</code>
    </mark>
  ) : (
    <code>{text}</code>
  );
}

/** The address of the comparison of a node with another one, which is still to be named. */
export function comparePath(certname: string): string {
  return `${pathOf('facts', 'compare')}?a=${encodeURIComponent(certname)}`;
}
