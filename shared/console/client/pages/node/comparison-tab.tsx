import { followNode } from '../../data/answer-options.ts';
import type { ShownNodeComparison } from '../../data/code-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { CatalogChangeTable } from '../difference-groups.tsx';

const PAGE_SIZE = 50;

/** Shows how the node's catalog here differs from the one of an existing Puppet Server. */
export function ComparisonTab({ certname }: { readonly certname: string }) {
  const answer = useAnswer(
    `/understudy/v1/nodes/${encodeURIComponent(certname)}/comparison`,
    followNode(certname, ['node', 'report']),
  );
  if (answer.fault?.kind === 'not-found' && answer.data === null) return <NeverCompared certname={certname} />;
  return (
    <AnswerView answer={answer} what="the comparison" lines={8}>
      {(comparison) => (
        <>
          <p class="table-lead">
            Compared <RelativeTime at={comparison.at} /> in the environment {comparison.environment}: the catalog of the
            existing server beside ours. <Link to="/comparison">All nodes</Link>
          </p>
          <Outcome comparison={comparison} />
        </>
      )}
    </AnswerView>
  );
}

function NeverCompared({ certname }: { readonly certname: string }) {
  return (
    <EmptyState title="The node was not compared with another server.">
      <code>understudy policy set --compiler compare --node {certname}</code> on the server passes the node on to an
      existing Puppet Server, and compares each catalog of it with ours. <code>understudy compare</code> does it once
      for all nodes.
    </EmptyState>
  );
}

function Outcome({ comparison }: { readonly comparison: ShownNodeComparison }) {
  switch (comparison.outcome) {
    case 'equal':
      return <EmptyState title="Both catalogs are the same.">The node can move over.</EmptyState>;
    case 'different':
      return <Changes comparison={comparison} />;
    case 'failing':
      return <Message title="The node does not compile here." text={comparison.message} tone="bad" />;
    case 'unknown':
      return <Message title="There was nothing to compare." text={comparison.message} tone="wait" />;
  }
}

interface MessageProps {
  readonly title: string;
  readonly text: string;
  readonly tone: 'bad' | 'wait';
}

function Message({ title, text, tone }: MessageProps) {
  return (
    <div class={`notice notice-${tone}`}>
      <div>
        <strong>{title}</strong> <span class="mono">{text}</span>
      </div>
    </div>
  );
}

interface ChangesProps {
  readonly comparison: Extract<ShownNodeComparison, { readonly outcome: 'different' }>;
}

function Changes({ comparison: { changes, omitted } }: ChangesProps) {
  const [query] = useParameters();
  const wanted = (query.get('find') ?? '').toLowerCase();
  const found = changes.filter(({ resource }) => resource.toLowerCase().includes(wanted));
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  const rows = found.slice(offset, offset + PAGE_SIZE);
  return (
    <>
      <div class="filters">
        <SearchBox label="Find a resource" name="find" placeholder="Service[ntp]" />
      </div>
      {rows.length === 0 ? (
        <EmptyState title="No resource matches." />
      ) : (
        <>
          <CatalogChangeTable label="Difference to the existing server" differences={rows} />
          <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
        </>
      )}
      {omitted > 0 && <p class="muted">{omitted.toLocaleString('en')} more changes have no room here.</p>}
    </>
  );
}
