import type { EnvironmentRow, RolledBack } from '../../data/code-shapes.ts';
import { type Deploy, stateOfDeploy } from '../../data/overview-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeLink } from '../../parts/code-link.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';
import { whyPath } from '../why-path.ts';
import { PoliciesPanel } from './policies-panel.tsx';
import { StagesPanels } from './stages-panel.tsx';

/** The environments with their code, and what was deployed when. */
export function DeployedTab() {
  const environments = useAnswer('/understudy/v1/environments', { events: ['deploy', 'node'] });
  const isSettled = useSettled([environments]);
  return (
    <div class="grid">
      <Panel title="Environments">
        <AnswerView answer={environments} what="the environments" lines={4}>
          {({ environments: rows }) =>
            rows.length === 0 ? (
              <EmptyState title="No code was deployed yet.">
                <code>understudy code deploy production</code> deploys an environment.
              </EmptyState>
            ) : (
              <DataTable label="Environments" columns={ENVIRONMENT_COLUMNS} rows={rows} keyOf={({ name }) => name} />
            )
          }
        </AnswerView>
      </Panel>
      <StagesPanels environments={environments.data?.environments ?? []} />
      <AfterAnswer isSettled={isSettled}>
        <DeploysPanel />
        <PoliciesPanel />
      </AfterAnswer>
    </div>
  );
}

const ENVIRONMENT_COLUMNS: readonly TableColumn<EnvironmentRow>[] = [
  { id: 'name', title: 'Environment', show: ({ name }) => name },
  {
    id: 'code',
    title: 'Code',
    show: ({ codeId, name }) => <CodeLink codeId={codeId} environment={name} canCopy={false} />,
  },
  { id: 'deployed', title: 'Deployed', show: ({ deployedAt }) => <RelativeTime at={deployedAt} /> },
  { id: 'language', title: 'Language', show: ({ language }) => language },
  { id: 'user', title: 'By', show: ({ user }) => user },
  {
    id: 'settled',
    title: 'Affected nodes',
    show: ({ invalidating: progress }) => (progress === null ? 'all know of it' : <FanOutProgress {...progress} />),
  },
  {
    id: 'held',
    title: 'Rolled back',
    show: ({ rolledBack }) => (rolledBack === null ? '' : <HeldCode {...rolledBack} />),
    isWide: true,
  },
  { id: 'actions', title: 'Actions', show: (row) => <EnvironmentActions row={row} /> },
];

function FanOutProgress({ nodes, parts, partsDone }: NonNullable<EnvironmentRow['invalidating']>) {
  return (
    <>
      <StateBadge state="running" />{' '}
      <span class="muted">
        {nodes.toLocaleString('en')} invalidated{parts > 0 && `, ${partsDone} of ${parts} parts done`}
      </span>
    </>
  );
}

function EnvironmentActions({ row }: { readonly row: EnvironmentRow }) {
  const { name } = row;
  const mayDeploy = usePermission('environment', 'deploy_code', name);
  if (!mayDeploy) return null;
  return (
    <div class="actions actions-stacked">
      <Link to={`${pathOf('code', 'deploy', name)}?run=now`} class="button button-small">
        Dry run
      </Link>
      <Link to={pathOf('code', 'deploy', name)} class="button button-small" aria-label={`Deploy ${name}`}>
        Deploy
      </Link>
    </div>
  );
}

/** Code that does not come again by itself. */
export function HeldCode({ codeId, user, at }: RolledBack) {
  return (
    <span class="muted">
      <ShortId id={codeId} /> by {user}
      {at > 0 && (
        <>
          , <RelativeTime at={at} />
        </>
      )}
      . The next change goes on.
    </span>
  );
}

/** The API gives 500 at most. */
const MOST_DEPLOYS = 100;

function DeploysPanel() {
  const answer = useAnswer(`/understudy/v1/deploys?limit=${MOST_DEPLOYS}`, { events: ['deploy'] });
  return (
    <Panel title="Deploys">
      <AnswerView answer={answer} what="the deploys" lines={8}>
        {({ deploys }) =>
          deploys.length === 0 ? (
            <EmptyState title="Nothing was deployed yet." />
          ) : (
            <DataTable
              label="List of deploys"
              columns={DEPLOY_COLUMNS}
              rows={deploys}
              keyOf={({ environment, at }) => `${environment} ${at}`}
            />
          )
        }
      </AnswerView>
    </Panel>
  );
}

const DEPLOY_COLUMNS: readonly TableColumn<Deploy>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'status', title: 'State', show: (deploy) => <StateBadge state={stateOfDeploy(deploy)} /> },
  { id: 'code', title: 'Code', show: ({ codeId }) => <ShortId id={codeId} what="the code id" /> },
  { id: 'user', title: 'By', show: ({ user }) => user },
  { id: 'why', title: 'What it touched', show: (deploy) => <Link to={whyPath(deploy)}>Files and nodes</Link> },
  { id: 'actions', title: 'Actions', show: (deploy) => <RollBack deploy={deploy} /> },
];

interface RollBackProps {
  readonly deploy: Pick<Deploy, 'environment' | 'codeId' | 'isInForce'>;
}

/** Leads to a roll back to earlier code, and to its dry run, for those who may. */
export function RollBack({ deploy: { environment, codeId, isInForce } }: RollBackProps) {
  const mayDeploy = usePermission('environment', 'deploy_code', environment);
  if (!mayDeploy || isInForce) return null;
  const address = `${pathOf('code', 'deploy', environment)}?code=${codeId}`;
  return (
    <div class="actions">
      <Link to={`${address}&run=now`} class="button button-small">
        Dry run
      </Link>
      <Link
        to={address}
        class="button button-small button-danger"
        aria-label={`Roll back ${environment} to ${codeId.slice(0, 12)}`}
      >
        Roll back
      </Link>
    </div>
  );
}
