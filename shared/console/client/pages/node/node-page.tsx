import { useContext, useEffect, useState } from 'preact/hooks';
import { followNode, isAbout } from '../../data/answer-options.ts';
import { readBrowserClock } from '../../data/browser-clock.ts';
import { subscribeToEvents } from '../../data/live-events.ts';
import type { NodeDetails, ReportRow } from '../../data/node-shapes.ts';
import { isPermitted, SessionContext } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../../parts/after-answer.tsx';
import { AnswerView, EmptyState, Skeleton } from '../../parts/answer-view.tsx';
import { Certname } from '../../parts/certname.tsx';
import { CodeLink } from '../../parts/code-link.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FactList, PageHead } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { pathOf } from '../../routing/match-route.ts';
import { ReportLink } from '../report-list.tsx';
import { AgentConnection } from './agent-connection.tsx';
import { CatalogTab } from './catalog-tab.tsx';
import { ComparisonTab } from './comparison-tab.tsx';
import { DifferenceTab } from './difference-tab.tsx';
import { FactsTab } from './facts-tab.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { InputsTab } from './inputs-tab.tsx';
import { NodeReportsTab } from './node-reports-tab.tsx';
import { PurgeNode } from './purge-node.tsx';
import { RunNow } from './run-now.tsx';
import { RunsPanel } from './runs-panel.tsx';

/** Each tab with its words and the permission that it needs. */
const TABS: readonly (readonly [string, string, readonly [string, string] | null])[] = [
  ['inputs', 'Inputs', ['nodes', 'view_data']],
  ['facts', 'Facts', ['nodes', 'view_data']],
  ['catalog', 'Catalog', ['nodes', 'view_data']],
  ['difference', 'Difference', ['nodes', 'view_data']],
  ['comparison', 'Comparison', ['nodes', 'view_data']],
  ['groups', 'Groups', ['node_groups', 'view']],
  ['reports', 'Reports', null],
  ['compiles', 'Compiles', null],
];

/** The parts that may stand behind the name of a node in an address. */
export const NODE_TABS: readonly string[] = TABS.map(([id]) => id);

interface NodePageProps {
  readonly certname: string;
  /** Null: the first one that the user may see. */
  readonly tab: string | null;
}

/** One node: what it is, why it is so, and what it did. */
export function NodePageView({ certname, tab }: NodePageProps) {
  const session = useContext(SessionContext);
  const answer = useAnswer(
    `/understudy/v1/nodes/${encodeURIComponent(certname)}`,
    followNode(certname, ['node', 'report']),
  );
  const latest = useAnswer(
    `/understudy/v1/reports?certname=${encodeURIComponent(certname)}&limit=1`,
    followNode(certname, ['report']),
  );
  const runs = useAnswer(
    `/understudy/v1/nodes/${encodeURIComponent(certname)}/runs`,
    followNode(certname, ['node', 'report']),
  );
  const report = latest.data?.[0] ?? null;
  // Whether the last run failed is shown above the rest, and known from both answers.
  const isSettled = useSettled([answer, latest, runs]);
  const state = useLiveState(certname, answer.askedAt);
  const tabs = TABS.filter(([, , needs]) => needs === null || isPermitted(session?.permissions ?? [], ...needs));
  const chosen = tab ?? tabs[0]?.[0] ?? 'reports';
  return (
    <>
      <PageHead
        title={<Certname name={certname} />}
        beside={<CopyButton text={certname} what="the certname" />}
        lead={answer.data === null ? 'Node' : <NodeLead node={answer.data} state={state ?? answer.data.state} />}
        actions={
          <>
            <RunNow certname={certname} environment={answer.data?.environment ?? 'production'} />
            <PurgeNode certname={certname} />
          </>
        }
      />
      {isSettled ? (
        <AnswerView answer={answer} what="the node" lines={4} isSummary>
          {(node) => <NodeSummary node={node} report={report} />}
        </AnswerView>
      ) : (
        <Skeleton lines={4} what="the node" isSummary />
      )}
      <AfterAnswer isSettled={isSettled}>
        <RunsPanel certname={certname} answer={runs} />
        <Tabs
          label="About the node"
          chosen={chosen}
          tabs={tabs.map(([id, title]) => ({ id, title, to: pathOf('nodes', certname, id) }))}
        />
        {tabs.some(([id]) => id === chosen) ? (
          <TabContent certname={certname} tab={chosen} environment={answer.data?.environment ?? null} />
        ) : (
          <EmptyState title="You may not see this part of a node.">
            Your roles lack a permission for it: ask who manages them.
          </EmptyState>
        )}
      </AfterAnswer>
    </>
  );
}

/** The state that the last event about a node named; null when the state was asked for after it. */
function useLiveState(certname: string, askedAt: number | null): string | null {
  const [live, setLive] = useState<{ readonly state: string; readonly at: number } | null>(null);
  useEffect(
    () =>
      subscribeToEvents(['node'], ({ data }) => {
        const state: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'state') : null;
        if (isAbout(data, certname) && typeof state === 'string') setLive({ state, at: readBrowserClock() });
      }),
    [certname],
  );
  return live === null || (askedAt !== null && askedAt > live.at) ? null : live.state;
}

interface TabContentProps {
  readonly certname: string;
  readonly tab: string;
  readonly environment: string | null;
}

function TabContent({ certname, tab, environment }: TabContentProps) {
  switch (tab) {
    case 'inputs':
      return <InputsTab certname={certname} />;
    case 'facts':
      return <FactsTab certname={certname} />;
    case 'catalog':
      return <CatalogTab certname={certname} />;
    case 'difference':
      return <DifferenceTab certname={certname} />;
    case 'comparison':
      return <ComparisonTab certname={certname} />;
    case 'groups':
      return <GroupsTab certname={certname} />;
    case 'compiles':
      return <HistoryTab certname={certname} environment={environment} />;
    default:
      return <NodeReportsTab certname={certname} />;
  }
}

function NodeLead({ node, state }: { readonly node: NodeDetails; readonly state: string }) {
  return (
    <span class="lead-row">
      <span role="status">
        <StateBadge state={state} />
      </span>
      <span>{node.environment}</span>
      <span>
        last seen <RelativeTime at={node.lastSeen} />
      </span>
    </span>
  );
}

function LastReport({ report }: { readonly report: ReportRow }) {
  return (
    <span class="lead-row">
      <StateBadge state={report.status} />
      <ReportLink report={report}>
        <RelativeTime at={report.receivedAt} />
      </ReportLink>
    </span>
  );
}

interface NodeSummaryProps {
  readonly node: NodeDetails;
  /** The newest report that is kept. */
  readonly report: ReportRow | null;
}

function NodeSummary({ node, report }: NodeSummaryProps) {
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
            {failure.backtrace !== undefined && (
              <ol class="backtrace mono" aria-label="Lines of Ruby code that it comes from">
                {failure.backtrace.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ol>
            )}
          </div>
        </div>
      )}
      {node.reportStatus === 'failed' && report?.status === 'failed' && (
        <div class="notice notice-bad">
          <div>
            <strong>
              The run of <RelativeTime at={report.receivedAt} /> failed.
            </strong>{' '}
            <ReportLink report={report}>Its report says why</ReportLink>
          </div>
        </div>
      )}
      <div class="summary">
        <FactList
          entries={[
            ['Catalog compiled', <RelativeTime key="at" at={catalog?.compiledAt} />],
            ['Took', catalog === null ? 'none yet' : printDuration(catalog.durationMs / 1000)],
            ['Code', <CodeLink key="code" codeId={catalog?.codeId ?? null} environment={node.environment} />],
            ['Agent', <AgentConnection key="agent" certname={node.certname} />],
          ]}
        />
        <FactList
          entries={[
            ['Compiles', node.compiles.toLocaleString('en')],
            ['Found unchanged', node.verifications === 1 ? 'once' : `${node.verifications.toLocaleString('en')} times`],
            ['Ring looked', <RelativeTime key="ring" at={node.ringPosition} />],
            ['Newest report', report === null ? 'none' : <LastReport key="report" report={report} />],
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
