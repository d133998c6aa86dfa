import { callApi } from '../../data/api-client.ts';
import type { DeployList, EnvironmentList, EnvironmentRow } from '../../data/code-shapes.ts';
import { type Deploy, stateOfDeploy } from '../../data/overview-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';

/** The environments with their code, and what was deployed when. */
export function CodePage() {
  const environments = useAnswer<EnvironmentList>('/understudy/v1/environments', { events: ['deploy', 'node'] });
  return (
    <>
      <PageHead title="Code" lead="What is deployed, and what a deploy would change" />
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
        <DeploysPanel />
      </div>
    </>
  );
}

const ENVIRONMENT_COLUMNS: readonly TableColumn<EnvironmentRow>[] = [
  { id: 'name', title: 'Environment', show: ({ name }) => name },
  { id: 'code', title: 'Code', show: ({ codeId }) => <ShortId id={codeId} /> },
  { id: 'deployed', title: 'Deployed', show: ({ deployedAt }) => <RelativeTime at={deployedAt} /> },
  { id: 'nodes', title: 'Nodes', isNumeric: true, show: ({ nodes }) => nodes?.toLocaleString('en') ?? '' },
  {
    id: 'settled',
    title: 'Affected nodes',
    show: ({ settled }) => (settled ? 'all know of it' : <StateBadge state="running" />),
  },
  { id: 'actions', title: 'Actions', show: ({ name }) => <EnvironmentActions name={name} /> },
];

function EnvironmentActions({ name }: { readonly name: string }) {
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
        done={`${name} is being deployed.`}
        perform={async () => {
          await callApi('/code-manager/v1/deploys', { method: 'POST', body: { environments: [name] } });
        }}
        isSmall
      >
        The code of {name} is read from its source and put in force. Nodes that it affects are compiled; a dry run shows
        which and how.
      </ConfirmButton>
    </div>
  );
}

function DeploysPanel() {
  const [query, setParameters] = useParameters();
  const before = query.get('cursor');
  const answer = useAnswer<DeployList>(
    `/understudy/v1/deploys?limit=30${before === null ? '' : `&cursor=${encodeURIComponent(before)}`}`,
    { events: ['deploy'] },
  );
  return (
    <Panel title="Deploys">
      <AnswerView answer={answer} what="the deploys" lines={8}>
        {({ deploys, next }) =>
          deploys.length === 0 ? (
            <EmptyState title="Nothing was deployed yet." />
          ) : (
            <>
              <DataTable
                label="List of deploys"
                columns={DEPLOY_COLUMNS}
                rows={deploys}
                keyOf={({ environment, at }) => `${environment} ${at}`}
              />
              {(next !== null || before !== null) && (
                <div class="pager panel-pager">
                  <button
                    type="button"
                    class="button"
                    disabled={before === null}
                    onClick={() => setParameters({ cursor: null })}
                  >
                    Newest
                  </button>
                  <button
                    type="button"
                    class="button"
                    disabled={next === null}
                    onClick={() => setParameters({ cursor: next })}
                  >
                    Earlier
                  </button>
                </div>
              )}
            </>
          )
        }
      </AnswerView>
    </Panel>
  );
}

const DEPLOY_COLUMNS: readonly TableColumn<Deploy>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'status', title: 'Status', show: (deploy) => <StateBadge state={stateOfDeploy(deploy)} /> },
  { id: 'code', title: 'Code', show: ({ codeId }) => <ShortId id={codeId} /> },
  { id: 'nodes', title: 'Affected', isNumeric: true, show: ({ nodes }) => nodes?.toLocaleString('en') ?? '' },
  { id: 'user', title: 'By', show: ({ user }) => user ?? '' },
  { id: 'actions', title: 'Actions', show: (deploy) => <RollBack deploy={deploy} /> },
];

function RollBack({ deploy }: { readonly deploy: Deploy }) {
  const { id, environment, codeId, previous } = deploy;
  const mayDeploy = usePermission('environment', 'deploy_code', environment);
  if (!mayDeploy || id === undefined || codeId === null || previous === null || deploy.isInForce === false) return null;
  return (
    <ConfirmButton
      label="Roll back"
      spoken={`Roll back the deploy ${id}`}
      question={`Roll ${environment} back?`}
      done={`${environment} is rolled back.`}
      tone="danger"
      perform={async () => {
        await callApi(`/understudy/v1/deploys/${encodeURIComponent(id)}/rollback`, { method: 'POST' });
      }}
      isSmall
    >
      The code <ShortId id={previous} /> that was in force before this deploy is put in force again. Nodes that it
      affects are compiled.
    </ConfirmButton>
  );
}
