import { useEffect } from 'preact/hooks';
import type { MessageGroup, ShownComparison } from '../data/code-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { StackedBar } from '../parts/charts.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { DifferenceGroups } from './difference-groups.tsx';

/** The outcomes with their colours and what they mean. */
const OUTCOMES: readonly (readonly ['equal' | 'different' | 'failing' | 'unknown', string, string])[] = [
  ['equal', 'good', 'Our catalog is the same'],
  ['different', 'wait', 'Our catalog differs'],
  ['failing', 'bad', 'The node does not compile here'],
  ['unknown', 'mute', 'There was nothing to compare'],
];

/** Pause before a sum that the server is still making is read again. */
const PAUSE_MS = 1_000;

/**
 * Our catalogs compared with those of an existing installation: before a fleet moves over. The
 * server sums up all nodes for it, so it is read only when the user asks, and until it is complete.
 */
export function ComparisonPage() {
  const answer = useAnswer('/understudy/v1/comparisons');
  const { data, reload } = answer;
  useEffect(() => {
    if (data?.isComplete !== false) return;
    const timer = window.setTimeout(reload, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [data, reload]);
  return (
    <>
      <PageHead
        title="Comparison"
        lead="The catalogs of an existing Puppet Server beside ours, before a fleet moves over"
        actions={
          <button type="button" class="button" aria-disabled={answer.isLoading} onClick={answer.reload}>
            Read again
          </button>
        }
      />
      <AnswerView answer={answer} what="the comparison" lines={14}>
        {(comparison) =>
          comparison.compared === 0 ? (
            <EmptyState title="Nothing was compared yet.">
              <code>understudy compare --puppetdb URL</code> on the server takes facts and last catalogs from a PuppetDB
              and compiles each node here. Nothing is written to nodes.
            </EmptyState>
          ) : (
            <div class="form">
              <CountsPanel comparison={comparison} />
              <MessagesPanel title="Nodes that fail here" groups={comparison.failures} />
              <DifferenceGroups groups={comparison.groups} />
              <MessagesPanel title="Nodes that could not be compared" groups={comparison.unknowns} />
              {comparison.isComplete === false && <p class="muted">Other nodes are being added up.</p>}
              {comparison.omitted > 0 && (
                <p class="muted">
                  {comparison.omitted.toLocaleString('en')} more differences and messages have no room here.
                </p>
              )}
            </div>
          )
        }
      </AnswerView>
    </>
  );
}

function CountsPanel({ comparison }: { readonly comparison: ShownComparison }) {
  const { compared, since, until } = comparison;
  const bars = OUTCOMES.map(([label, tone]) => ({ label, tone, value: comparison[label] }));
  return (
    <Panel
      title={compared === 1 ? '1 node' : `${compared.toLocaleString('en')} nodes`}
      actions={
        <span class="muted">
          compared from <RelativeTime at={since} /> to <RelativeTime at={until} />
        </span>
      }
    >
      <StackedBar label="Nodes by outcome" bars={bars} />
      <ul class="tiles">
        {OUTCOMES.map(([outcome, , meaning]) => (
          <li key={outcome} class="tile" title={meaning}>
            <span class="tile-value">{comparison[outcome].toLocaleString('en')}</span>
            <span>{meaning}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Maximum numbers of messages shown, and of names of each. */
const MOST_MESSAGES = 50;
const MOST_NAMES = 5;

const COLUMNS: readonly TableColumn<MessageGroup>[] = [
  { id: 'count', title: 'Nodes', isNumeric: true, show: ({ count }) => count.toLocaleString('en') },
  { id: 'message', title: 'Message', isWide: true, show: ({ message }) => <span class="mono">{message}</span> },
  {
    id: 'nodes',
    title: 'Which',
    isWide: true,
    show: (group) => <NodeNames group={group} />,
  },
];

function NodeNames({ group: { nodes, count } }: { readonly group: MessageGroup }) {
  const shown = nodes.slice(0, MOST_NAMES);
  return (
    <ul class="name-list">
      {shown.map((certname) => (
        <li key={certname}>
          <NodeLink certname={certname} />
        </li>
      ))}
      {count > shown.length && <li class="muted">and {(count - shown.length).toLocaleString('en')} more</li>}
    </ul>
  );
}

function MessagesPanel({ title, groups }: { readonly title: string; readonly groups: readonly MessageGroup[] }) {
  if (groups.length === 0) return null;
  return (
    <Panel title={title}>
      <DataTable
        label={`List of ${title.toLowerCase()}`}
        columns={COLUMNS}
        rows={groups.slice(0, MOST_MESSAGES)}
        keyOf={({ message }) => message}
      />
      {groups.length > MOST_MESSAGES && <p class="muted">and {groups.length - MOST_MESSAGES} more messages</p>}
    </Panel>
  );
}
