import { useContext, useEffect, useState } from 'preact/hooks';
import { callApi, LONG_MS } from '../../data/api-client.ts';
import type { EnvironmentRow, ShownPreview } from '../../data/code-shapes.ts';
import {
  type CodeChange,
  commandOfDeploy,
  type DeployKind,
  describeEffects,
  describeNodes,
  findPolicy,
  kindOfDeploy,
  mayChooseCanaries,
} from '../../data/deploys/deploy-plan.ts';
import { hasStagedDeploys } from '../../data/deploys/deploy-words.ts';
import { sendDeploy } from '../../data/deploys/send-deploy.ts';
import { isPermitted, SessionContext, usePermission } from '../../data/session.ts';
import { type Action, useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState, Skeleton } from '../../parts/answer-view.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { SelectField } from '../../parts/fields.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Link } from '../../routing/link.tsx';
import { navigate, useParameters } from '../../routing/location.ts';
import { whyPath } from '../why-path.ts';
import { PreviewResult } from './preview-result.tsx';

/**
 * The way of code to its nodes: what will happen to how many of them, the changes of catalogs by a
 * dry run, and one question. `code` in the address names earlier or staged code, `of` another
 * environment whose code is tried; `run=now` starts the dry run at once.
 */
export function DeployPage({ environment }: { readonly environment: string }) {
  const answer = useAnswer('/understudy/v1/environments', { events: ['deploy'] });
  return (
    <>
      {answer.data === null && answer.fault !== null && <PageHead title={`Deploy ${environment}`} />}
      <AnswerView answer={answer} what="the environment" lines={8}>
        {({ environments }) => {
          const row = environments.find(({ name }) => name === environment);
          return row === undefined ? (
            <NoEnvironment name={environment} />
          ) : (
            <DeployFlow row={row} names={environments.map(({ name }) => name)} />
          );
        }}
      </AnswerView>
    </>
  );
}

function NoEnvironment({ name }: { readonly name: string }) {
  return (
    <>
      <PageHead title={`Deploy ${name}`} />
      <EmptyState title={`There is no environment ${name}.`}>
        <Link to="/code">All environments</Link>
      </EmptyState>
    </>
  );
}

const FIRST: readonly (readonly [string, string])[] = [
  ['all', 'All nodes'],
  ['1', '1 canary'],
  ['5', '5 canaries'],
  ['5%', '5 % of the nodes'],
  ['10%', '10 % of the nodes'],
];

interface DeployFlowProps {
  readonly row: EnvironmentRow;
  /** The names of all environments. */
  readonly names: readonly string[];
}

function DeployFlow({ row, names }: DeployFlowProps) {
  const [query, setParameters] = useParameters();
  const codeId = query.get('code');
  const codeOf = codeId === null ? query.get('of') : null;
  const [first, setFirst] = useState('all');
  const mayReadPolicies = usePermission('configuration', 'view');
  const policies = useAnswer(mayReadPolicies ? '/understudy/v1/policies' : null);
  const [made, setPreview] = useState<ShownPreview | null>(null);
  // A dry run of other code may end after another one was chosen.
  const preview = made !== null && (made.codeEnvironment ?? null) === codeOf ? made : null;
  const start = useAction(async () => {
    const code = codeOf === null ? {} : { codeEnvironment: codeOf };
    const body = { environment: row.name, ...(codeId === null ? code : { codeId }) };
    setPreview((await callApi('/understudy/v1/deploys/preview', { method: 'POST', body, lateMs: LONG_MS })).data);
  });
  const isToRun = query.get('run') === 'now';
  useEffect(() => {
    if (!isToRun) return;
    // A page that is loaded again, or that somebody goes back to, compiles nothing.
    setParameters({ run: null }, { replace: true });
    start.run(undefined);
  }, [isToRun]);
  const mayChoose = codeOf === null && mayChooseCanaries(row, codeId);
  const plan: CodeChange = { environment: row, codeId, codeOf, first: mayChoose ? first : 'all' };
  const others = useDeployable(names).filter((name) => name !== row.name);
  const policy = policies.data === null ? null : findPolicy(policies.data, row.name);
  const effects = describeEffects(plan, policy);
  return (
    <>
      <PageHead
        title={
          codeOf === null ? TITLES[kindOfDeploy(row, codeId)](row.name) : `Try the code of ${codeOf} on ${row.name}`
        }
        lead="A dry run compiles nodes with the code, and puts nothing in force"
        actions={<FlowActions plan={plan} effects={effects} preview={preview} start={start} />}
      />
      <div class="form">
        <Panel
          title="What will happen"
          actions={
            codeId !== null && (
              <Link to={whyPath({ environment: row.name, codeId, previous: row.codeId })}>Files and nodes</Link>
            )
          }
        >
          <ul class="effects">
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
            <li>{describeNodes(preview)}</li>
          </ul>
          {codeId === null && (others.length > 0 || codeOf !== null) && (
            <SelectField
              label="Code"
              value={codeOf ?? ''}
              onChange={(of) => {
                setPreview(null);
                setParameters({ of: of || null }, { replace: true });
              }}
              options={[['', 'The newest of its source'], ...others.map((name) => [name, `That of ${name}`] as const)]}
            />
          )}
          {mayChoose && (
            <SelectField label="Nodes that get it first" value={first} onChange={setFirst} options={FIRST} />
          )}
          {codeOf !== null && <CommandLine words={commandOfDeploy(plan)} />}
        </Panel>
        {start.fault !== null && (
          <p class="notice notice-bad" role="alert">
            {start.fault.message}
          </p>
        )}
        {start.isRunning && <Skeleton lines={8} what="the differences" />}
        {!start.isRunning && preview === null && (
          <EmptyState title="No dry run was made.">
            It compiles the nodes that the code affects, which takes two minutes at most.
          </EmptyState>
        )}
        {!start.isRunning && preview !== null && <PreviewResult preview={preview} />}
      </div>
    </>
  );
}

/** The environments that the user may deploy. */
function useDeployable(names: readonly string[]): readonly string[] {
  const permissions = useContext(SessionContext)?.permissions ?? [];
  return names.filter((name) => isPermitted(permissions, 'environment', 'deploy_code', name));
}

const TITLES: Readonly<Record<DeployKind, (name: string) => string>> = {
  deploy: (name) => `Deploy ${name}`,
  promote: (name) => `Promote the staged code of ${name}`,
  'roll back': (name) => `Roll ${name} back`,
};

interface FlowActionsProps {
  readonly plan: CodeChange;
  readonly effects: readonly string[];
  readonly preview: ShownPreview | null;
  readonly start: Action<undefined>;
}

function FlowActions({ plan, effects, preview, start }: FlowActionsProps) {
  const { environment, codeId, codeOf, first } = plan;
  const { name } = environment;
  const mayDeploy = usePermission('environment', 'deploy_code', name);
  if (!mayDeploy) return <p class="muted">You lack the permission environment:deploy_code of {name}.</p>;
  const kind = kindOfDeploy(environment, codeId);
  const isStaged = first !== 'all' || (kind === 'deploy' && hasStagedDeploys(environment));
  const label = isStaged ? 'Stage' : LABELS[kind];
  return (
    <>
      <button type="button" class="button" aria-disabled={start.isRunning} onClick={() => start.run(undefined)}>
        {preview === null ? 'Dry run' : 'Dry run again'}
      </button>
      {!codeOf && (
        <ConfirmButton
          label={label}
          question={isStaged ? `Stage the code of ${name}?` : `${TITLES[kind](name)}?`}
          done={isStaged ? `The code of ${name} is staged.` : DONE[kind](name)}
          tone={kind === 'roll back' ? 'danger' : 'primary'}
          command={commandOfDeploy(plan)}
          {...(kind === 'deploy' ? { commandPlace: 'In the folder that has the code, on the server' } : {})}
          perform={async () => {
            await sendDeploy(plan);
            navigate('/code');
          }}
        >
          <ul class="effects">
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
            <li>{describeNodes(preview)}</li>
          </ul>
        </ConfirmButton>
      )}
    </>
  );
}

const LABELS: Readonly<Record<DeployKind, string>> = { deploy: 'Deploy', promote: 'Promote', 'roll back': 'Roll back' };
const DONE: Readonly<Record<DeployKind, (name: string) => string>> = {
  deploy: (name) => `${name} is deployed.`,
  promote: (name) => `${name} has the staged code.`,
  'roll back': (name) => `${name} is rolled back.`,
};
