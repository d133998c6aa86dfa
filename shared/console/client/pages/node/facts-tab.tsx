import { flattenValues } from '../../data/flatten-values.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Tree, treeOfValue } from '../../parts/tree.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { comparePath } from '../facts/compare-facts-page.tsx';
import { FactChangesPanel } from './fact-changes.tsx';

/** Maximum number of found facts shown. */
const MOST_FOUND = 300;

/** The facts of a node as a tree; found ones as a list of paths. */
export function FactsTab({ certname }: { readonly certname: string }) {
  const [query] = useParameters();
  const answer = useAnswer(`/understudy/v1/nodes/${encodeURIComponent(certname)}/facts`);
  const wanted = (query.get('find') ?? '').toLowerCase();
  return (
    <>
      <div class="filters">
        <SearchBox label="Find a name or a value" name="find" placeholder="os.family" />
        <Link to={comparePath(certname)} class="button">
          Compare with another node
        </Link>
      </div>
      <AnswerView answer={answer} what="the facts" lines={12}>
        {({ at, facts, trusted }) => (
          <div class="grid">
            <Panel title="Facts" span={8} actions={<RelativeTime at={at} />}>
              <FactTree values={facts} wanted={wanted} />
            </Panel>
            <Panel title="Trusted facts" span={4}>
              <FactTree values={trusted} wanted={wanted} />
            </Panel>
            <FactChangesPanel certname={certname} />
          </div>
        )}
      </AnswerView>
    </>
  );
}

function FactTree({ values, wanted }: { readonly values: Readonly<Record<string, unknown>>; readonly wanted: string }) {
  const names = Object.keys(values).sort();
  const items =
    wanted === ''
      ? names.map((name) => treeOfValue(name, values[name]))
      : flattenValues(values)
          .filter(([path, text]) => `${path}\n${text}`.toLowerCase().includes(wanted))
          .slice(0, MOST_FOUND)
          .map(([path, text]) => treeOfValue(path, text));
  if (items.length === 0) return <EmptyState title={wanted === '' ? 'There are none.' : 'None is found.'} />;
  return <Tree items={items} />;
}
