import { callApi, LONG_MS } from '../../data/api-client.ts';
import { ApiFault } from '../../data/api-fault.ts';
import { deployCommand, rollBackCommand } from '../../data/cli-commands.ts';
import type { DeployOutcome, EnvironmentRow, RolledBack } from '../../data/code-shapes.ts';
import { hasStagedDeploys, predictDeploy } from '../../data/deploy-words.ts';
import { type Deploy, stateOfDeploy } from '../../data/overview-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeLink } from '../../parts/code-link.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
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
    <div class="actions">
      <Link to={pathOf('code', 'preview', name)} class="button button-small">
        Dry run
      </Link>
      <ConfirmButton
        label="Deploy"
        spoken={`Deploy ${name}`}
        question={`Deploy ${name}?`}
        done={hasStagedDeploys(row) ? `The deploy of ${name} is staged.` : `${name} is deployed.`}
        command={deployCommand(name)}
        commandPlace="In the folder that has the code, on the server"
        perform={() => deployEnvironment(name)}
        isSmall
      >
        {predictDeploy(row)} A dry run shows which nodes it affects, and how.
      </ConfirmButton>
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

/** Deploys an environment and waits for the outcome. Throws ApiFault for a deploy that failed. */
async function deployEnvironment(name: string): Promise<void> {
  const body = { environments: [name], wait: true };
  const { data } = await callApi('/code-manager/v1/deploys', { method: 'POST', body, lateMs: LONG_MS });
  const failed = (data as readonly DeployOutcome[]).find(({ status }) => status === 'failed');
  if (failed !== undefined) throw new ApiFault('refused', failed.error?.msg ?? 'The deploy failed.');
}

/** The API gives 500 at most. */
const MOST_DEPLOYS = 100;

function DeploysPanel() {
  const answer = useAnswer(`/understudy/v1/deploys?limit=${MOST_DEPLOYS}`, { events: ['deploy'] });
  const inForce = new Map(
    answer.data?.deploys.filter((one) => one.isInForce).map(({ environment, codeId }) => [environment, codeId]),
  );
  const columns: readonly TableColumn<Deploy>[] = [
    ...DEPLOY_COLUMNS,
    {
      id: 'actions',
      title: 'Actions',
      show: (deploy) => <RollBack deploy={deploy} inForce={inForce.get(deploy.environment) ?? null} />,
    },
  ];
  return (
    <Panel title="Deploys">
      <AnswerView answer={answer} what="the deploys" lines={8}>
        {({ deploys }) =>
          deploys.length === 0 ? (
            <EmptyState title="Nothing was deployed yet." />
          ) : (
            <DataTable
              label="List of deploys"
              columns={columns}
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
];

interface RollBackProps {
  readonly deploy: Deploy;
  /** The code of the environment now. */
  readonly inForce: string | null;
}

/** Offers to put earlier code in force again, with its dry run. */
export function RollBack({ deploy, inForce }: RollBackProps) {
  const { environment, codeId, isInForce } = deploy;
  const mayDeploy = usePermission('environment', 'deploy_code', environment);
  if (!mayDeploy || isInForce) return null;
  return (
    <div class="actions">
      <Link to={`${pathOf('code', 'preview', environment)}?code=${codeId}`} class="button button-small">
        Dry run
      </Link>
      <ConfirmButton
        label="Roll back"
        spoken={`Roll back ${environment} to ${codeId.slice(0, 12)}`}
        question={`Roll ${environment} back?`}
        done={`${environment} is rolled back.`}
        tone="danger"
        command={rollBackCommand(environment, codeId)}
        perform={async () => {
          const address = `/understudy/v1/environments/${encodeURIComponent(environment)}/rollback`;
          await callApi(address, { method: 'POST', body: { codeId }, lateMs: LONG_MS });
        }}
        isSmall
      >
        The code <ShortId id={codeId} /> is put in force again. Nodes that the difference affects are compiled, and a
        source that has the present code does not bring it again:{' '}
        <Link to={whyPath({ ...deploy, previous: inForce })}>files and nodes</Link>.
      </ConfirmButton>
    </div>
  );
}
