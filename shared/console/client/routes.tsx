import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { AccessPage } from './pages/access/access-page.tsx';
import { BackupPage } from './pages/backup-page.tsx';
import { CertificatesPage } from './pages/certificates/certificates-page.tsx';
import { CodeFilePage } from './pages/code/code-file-page.tsx';
import { CodePage } from './pages/code/code-page.tsx';
import { DeployPage } from './pages/code/deploy-page.tsx';
import { KeyReadersPage } from './pages/code/key-readers-page.tsx';
import { ComparisonPage } from './pages/comparison-page.tsx';
import { CompareFactsPage } from './pages/facts/compare-facts-page.tsx';
import { FactsPage } from './pages/facts/facts-page.tsx';
import { FailurePage } from './pages/failures/failure-page.tsx';
import { FailuresPage } from './pages/failures/failures-page.tsx';
import { GroupsPage } from './pages/groups/groups-page.tsx';
import { JobPage } from './pages/jobs/job-page.tsx';
import { JobsPage } from './pages/jobs/jobs-page.tsx';
import { NewJobPage } from './pages/jobs/new-job-page.tsx';
import { PlanJobPage } from './pages/jobs/plan-job-page.tsx';
import { NODE_TABS, NodePageView } from './pages/node/node-page.tsx';
import { NodesPage } from './pages/nodes-page.tsx';
import { OtherChangePage } from './pages/other-changes.tsx';
import { OverviewPage } from './pages/overview-page.tsx';
import { QueryPage } from './pages/query/query-page.tsx';
import { QueuePage } from './pages/queue-page.tsx';
import { ReportPage } from './pages/report-page.tsx';
import { ReportsPage } from './pages/reports-page.tsx';
import { ChangePage, WhyPage } from './pages/why-page.tsx';
import { EmptyState } from './parts/answer-view.tsx';
import { PageHead } from './parts/panel.tsx';
import { Link } from './routing/link.tsx';
import { matchRoute, type RouteParameters } from './routing/match-route.ts';

interface Route {
  readonly pattern: string;
  /** The values of `:tab`; another one is no page. */
  readonly tabs?: readonly string[];
  readonly title: (parameters: RouteParameters) => string;
  readonly show: (parameters: RouteParameters) => JSX.Element;
}

const ROUTES: readonly Route[] = [
  { pattern: '/', title: () => 'Overview', show: () => <OverviewPage /> },
  { pattern: '/nodes', title: () => 'Nodes', show: () => <NodesPage /> },
  {
    pattern: '/nodes/:certname/:tab?',
    title: ({ certname = '' }) => certname,
    tabs: NODE_TABS,
    show: ({ certname = '', tab = null }) => <NodePageView key={certname} certname={certname} tab={tab} />,
  },
  { pattern: '/failures', title: () => 'Failures', show: () => <FailuresPage /> },
  { pattern: '/failures/:id', title: () => 'Failure', show: ({ id = '' }) => <FailurePage key={id} id={id} /> },
  { pattern: '/facts', title: () => 'Facts', show: () => <FactsPage /> },
  { pattern: '/facts/compare', title: () => 'Compare facts', show: () => <CompareFactsPage /> },
  { pattern: '/query', title: () => 'Query', show: () => <QueryPage /> },
  { pattern: '/reports', title: () => 'Reports', show: () => <ReportsPage /> },
  {
    pattern: '/reports/:certname/:uuid',
    title: ({ certname = '' }) => `Report of ${certname}`,
    show: ({ certname = '', uuid = '' }) => <ReportPage key={uuid} certname={certname} uuid={uuid} />,
  },
  { pattern: '/jobs', title: () => 'Jobs', show: () => <JobsPage tab="all" /> },
  { pattern: '/jobs/scheduled', title: () => 'Scheduled jobs', show: () => <JobsPage tab="scheduled" /> },
  { pattern: '/jobs/plans', title: () => 'Plan jobs', show: () => <JobsPage tab="plans" /> },
  {
    pattern: '/jobs/plans/:job',
    title: ({ job = '' }) => `Plan job ${job}`,
    show: ({ job = '' }) => <PlanJobPage key={job} job={job} />,
  },
  { pattern: '/jobs/new', title: () => 'New job', show: () => <NewJobPage /> },
  {
    pattern: '/jobs/:job/:tab?',
    title: ({ job = '' }) => `Job ${job}`,
    tabs: ['nodes', 'order', 'events'],
    show: ({ job = '', tab = 'nodes' }) => <JobPage key={job} job={job} tab={tab} />,
  },
  {
    pattern: '/code/:tab?',
    title: () => 'Code',
    tabs: ['environments', 'sources', 'values'],
    show: ({ tab = 'environments' }) => <CodePage tab={tab} />,
  },
  {
    pattern: '/code/file/:environment',
    title: () => 'Code',
    show: ({ environment = '' }) => <CodeFilePage environment={environment} />,
  },
  {
    pattern: '/code/deploy/:environment',
    title: ({ environment = '' }) => `Deploy ${environment}`,
    show: ({ environment = '' }) => <DeployPage key={environment} environment={environment} />,
  },
  {
    pattern: '/code/keys/:environment',
    title: () => 'Readers of a Hiera key',
    show: ({ environment = '' }) => <KeyReadersPage environment={environment} />,
  },
  { pattern: '/groups/:group?', title: () => 'Groups', show: ({ group = '' }) => <GroupsPage chosen={group} /> },
  { pattern: '/certificates', title: () => 'Certificates', show: () => <CertificatesPage /> },
  { pattern: '/comparison', title: () => 'Comparison', show: () => <ComparisonPage /> },
  { pattern: '/backup', title: () => 'Backup', show: () => <BackupPage /> },
  { pattern: '/queue', title: () => 'Queue', show: () => <QueuePage /> },
  {
    pattern: '/access/:tab?',
    title: () => 'Access',
    tabs: ['users', 'roles', 'tokens'],
    show: ({ tab = 'users' }) => <AccessPage tab={tab} />,
  },
  {
    pattern: '/why/change/:id/nodes',
    title: () => 'Change',
    show: ({ id = '' }) => <OtherChangePage key={id} id={id} />,
  },
  { pattern: '/why', title: () => 'Why', show: () => <WhyPage /> },
  {
    pattern: '/why/:environment/:code',
    title: ({ environment = '' }) => `Deploy of ${environment}`,
    show: ({ environment = '', code = '' }) => <ChangePage key={code} environment={environment} codeId={code} />,
  },
];

/** The page of a path. */
export function Routes({ path }: { readonly path: string }) {
  const found = findRoute(path);
  const title = found === null ? 'Not found' : found.route.title(found.parameters);
  useEffect(() => {
    document.title = `${title} · Understudy`;
  }, [title]);
  if (found === null) return <NoPage />;
  return found.route.show(found.parameters);
}

function findRoute(path: string): { readonly route: Route; readonly parameters: RouteParameters } | null {
  for (const route of ROUTES) {
    const parameters = matchRoute(route.pattern, path);
    const isKnown = parameters?.tab === undefined || route.tabs === undefined || route.tabs.includes(parameters.tab);
    if (parameters !== null && isKnown) return { route, parameters };
  }
  return null;
}

function NoPage() {
  return (
    <>
      <PageHead title="Not found" />
      <EmptyState title="There is no such page.">
        <Link to="/">Go to the overview</Link>
      </EmptyState>
    </>
  );
}
