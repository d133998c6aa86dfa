import { callApi, LONG_MS } from '../../data/api-client.ts';
import type { EnvironmentRow, StagedDeploy } from '../../data/code-shapes.ts';
import { endStageCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';

/** The staged deploys, each with its canaries; nothing without one. */
export function StagesPanels({ environments }: { readonly environments: readonly EnvironmentRow[] }) {
  const staged = environments.filter(({ stage }) => stage !== null);
  return (
    <>
      {staged.map(({ name }) => (
        <StagePanel key={name} environment={name} />
      ))}
    </>
  );
}

function StagePanel({ environment }: { readonly environment: string }) {
  const answer = useAnswer(`/understudy/v1/environments/${encodeURIComponent(environment)}/stage`, {
    events: ['deploy', 'report', 'node'],
  });
  return (
    <Panel title={`Staged deploy of ${environment}`}>
      <AnswerView answer={answer} what="the staged deploy" lines={6}>
        {(stage) => (
          <>
            <StageHead stage={stage} />
            <DataTable
              label={`Canaries of ${environment}`}
              columns={CANARY_COLUMNS}
              rows={stage.canaries}
              keyOf={({ certname }) => certname}
            />
          </>
        )}
      </AnswerView>
    </Panel>
  );
}

function StageHead({ stage }: { readonly stage: StagedDeploy }) {
  const { environment, codeId, begunAt, user, lateAt, state, reason, plan, counts } = stage;
  return (
    <div class="panel-part">
      <p>
        <StateBadge state={state} /> <ShortId id={codeId} what="the code id" /> for{' '}
        {stage.canaries.length === 1 ? '1 canary' : `${stage.canaries.length} canaries`}, since{' '}
        <RelativeTime at={begunAt} /> by {user}: {counts.good} good, {counts.worse} worse, {counts.waiting} waiting.
      </p>
      {reason !== null && <p>It waits for somebody: {reason}.</p>}
      {state === 'trial' && (
        <p>
          When all are good: {plan.whenGood}. When one is worse: {plan.whenWorse}. When one has not run{' '}
          <RelativeTime at={lateAt} />: {plan.whenLate}.
        </p>
      )}
      {state !== 'ending' && <StageActions environment={environment} codeId={codeId} />}
    </div>
  );
}

function StageActions({ environment, codeId }: Pick<StagedDeploy, 'environment' | 'codeId'>) {
  const mayDeploy = usePermission('environment', 'deploy_code', environment);
  if (!mayDeploy) return null;
  const abort = async () => {
    await callApi('/understudy/v1/deploys/stage/abort', { method: 'POST', body: { environment }, lateMs: LONG_MS });
  };
  return (
    <div class="actions">
      <Link
        to={`${pathOf('code', 'deploy', environment)}?code=${codeId}`}
        class="button button-small"
        aria-label={`Promote the staged deploy of ${environment}`}
      >
        Promote
      </Link>
      <ConfirmButton
        label="Abort"
        spoken={`Abort the staged deploy of ${environment}`}
        question={`Take the staged code of ${environment} back?`}
        done={`The staged code of ${environment} is taken back.`}
        tone="danger"
        command={endStageCommand(environment, 'abort')}
        perform={abort}
        isSmall
      >
        The canaries get the code of the other nodes again, and are compiled.
      </ConfirmButton>
    </div>
  );
}

const CANARY_COLUMNS: readonly TableColumn<StagedDeploy['canaries'][number]>[] = [
  {
    id: 'certname',
    title: 'Canary',
    show: ({ certname }) => <NodeLink certname={certname} />,
  },
  { id: 'status', title: 'State', show: ({ status }) => <StateBadge state={status} /> },
  { id: 'reason', title: 'Why', show: ({ reason }) => reason ?? '', isWide: true },
];
