import { useEffect, useState } from 'preact/hooks';
import { readBrowserClock } from '../../data/browser-clock.ts';
import { subscribeToEvents } from '../../data/live-events.ts';
import type { NodeDetails } from '../../data/node-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView } from '../../parts/answer-view.tsx';
import { FactList, PageHead } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { pathOf } from '../../routing/match-route.ts';
import { CatalogTab } from './catalog-tab.tsx';
import { DifferenceTab } from './difference-tab.tsx';
import { FactsTab } from './facts-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { InputsTab } from './inputs-tab.tsx';
import { NodeReportsTab } from './node-reports-tab.tsx';
import { RunNow } from './run-now.tsx';

const TABS: readonly (readonly [string, string, boolean])[] = [
  ['inputs', 'Inputs', true],
  ['facts', 'Facts', true],
  ['catalog', 'Catalog', true],
  ['difference', 'Difference', true],
  ['reports', 'Reports', false],
  ['history', 'Compiles', false],
];

interface NodePageProps {
  readonly certname: string;
  readonly tab: string;
}

/** One node: what it is, why it is so, and what it did. */
export function NodePageView({ certname, tab }: NodePageProps) {
  const mayViewData = usePermission('nodes', 'view_data');
  const answer = useAnswer<NodeDetails>(`/understudy/v1/nodes/${encodeURIComponent(certname)}`, {
    events: ['node', 'report'],
    concerns: (data) => isAbout(data, certname),
  });
  const state = useLiveState(certname, answer.at);
  const tabs = TABS.filter(([, , needsData]) => mayViewData || !needsData);
  const chosen = tabs.some(([id]) => id === tab) ? tab : (tabs[0]?.[0] ?? 'reports');
  return (
    <>
      <PageHead
        title={certname}
        lead={answer.data === null ? 'Node' : <NodeLead node={answer.data} live={state} />}
        actions={<RunNow certname={certname} environment={answer.data?.environment ?? 'production'} />}
      />
      <AnswerView answer={answer} what="the node" lines={4} isSummary>
        {(node) => <NodeSummary node={node} />}
      </AnswerView>
      <Tabs
        label="About the node"
        chosen={chosen}
        tabs={tabs.map(([id, title]) => ({ id, title, to: pathOf('nodes', certname, id) }))}
      />
      <TabContent certname={certname} tab={chosen} />
    </>
  );
}

/** The state that the last event about a node named; null when the record was read after it. */
function useLiveState(certname: string, readAt: number | null): string | null {
  const [live, setLive] = useState<{ readonly state: string; readonly at: number } | null>(null);
  useEffect(
    () =>
      subscribeToEvents(['node'], ({ data }) => {
        const state: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'state') : null;
        if (isAbout(data, certname) && typeof state === 'string') setLive({ state, at: readBrowserClock() });
      }),
    [certname],
  );
  return live === null || (readAt !== null && readAt > live.at) ? null : live.state;
}

/** Whether an event is about a node; one without data may be. */
export function isAbout(data: unknown, certname: string): boolean {
  if (typeof data !== 'object' || data === null || !('certname' in data)) return true;
  return data.certname === certname;
}

function TabContent({ certname, tab }: NodePageProps) {
  switch (tab) {
    case 'inputs':
      return <InputsTab certname={certname} />;
    case 'facts':
      return <FactsTab certname={certname} />;
    case 'catalog':
      return <CatalogTab certname={certname} />;
    case 'difference':
      return <DifferenceTab certname={certname} />;
    case 'history':
      return <HistoryTab certname={certname} />;
    default:
      return <NodeReportsTab certname={certname} />;
  }
}

function NodeLead({ node, live }: { readonly node: NodeDetails; readonly live: string | null }) {
  return (
    <span class="lead-row">
      <StateBadge state={live ?? stateOf(node)} />
      <span>{node.environment}</span>
      <span>
        last seen <RelativeTime at={node.lastSeen} />
      </span>
    </span>
  );
}

/** The state by the record, where the answer does not say it. */
function stateOf(node: NodeDetails): string {
  if (node.state !== undefined) return node.state;
  if (node.failure !== null) return 'failing';
  if (node.catalog === null) return 'new';
  return node.built < node.wanted ? 'stale' : 'current';
}

function NodeSummary({ node }: { readonly node: NodeDetails }) {
  const { catalog, failure, reasons } = node;
  return (
    <>
      {failure !== null && (
        <div class="notice notice-bad">
          <div>
            <strong>
              The compile of <RelativeTime at={failure.at} /> failed.
            </strong>{' '}
            <span class="mono">{failure.message}</span>
          </div>
        </div>
      )}
      <div class="summary">
        <FactList
          entries={[
            ['Catalog compiled', <RelativeTime key="at" at={catalog?.compiledAt} />],
            ['Took', catalog === null ? 'none yet' : printDuration(catalog.durationMs / 1000)],
            ['Code', <ShortId key="code" id={catalog?.codeId ?? null} />],
          ]}
        />
        <FactList
          entries={[
            ['Compiles', node.compiles.toLocaleString('en')],
            ['Found unchanged', `${node.verifications.toLocaleString('en')} times`],
            ['Ring looked', <RelativeTime key="ring" at={node.ringPosition} />],
          ]}
        />
        <FactList
          entries={[
            ['Last reason', reasons.at(-1) ?? 'none'],
            ['Wanted', <RelativeTime key="wanted" at={node.wantedAt} />],
            ['Volatile calls', (node.inputs?.volatile.length ?? 0) === 0 ? 'none' : node.inputs?.volatile.join(', ')],
          ]}
        />
      </div>
    </>
  );
}
