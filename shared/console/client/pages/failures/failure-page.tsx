import { deployOf, type FailureRow, jobPathOf, printLine } from '../../data/failure-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView } from '../../parts/answer-view.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { FactList, PageHead, Panel } from '../../parts/panel.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';
import { RollBack } from '../code/deployed-tab.tsx';
import { whyPath } from '../why-path.ts';
import { FOLLOWED, failureState } from './failures-page.tsx';

/** One failure: where it is in the code, the deploy that it began with, and its nodes. */
export function FailurePage({ id }: { readonly id: string }) {
  const answer = useAnswer(`/understudy/v1/failures/${encodeURIComponent(id)}`, FOLLOWED);
  const mayRun = usePermission('puppet_agent', 'run');
  return (
    <>
      <PageHead
        title={answer.data?.resource ?? 'Failure'}
        lead={answer.data === null ? 'What fails, and where' : <FailureLead failure={answer.data} />}
        actions={
          <Link to="/failures" class="button">
            All failures
          </Link>
        }
      />
      <AnswerView answer={answer} what="the failure" lines={14}>
        {(failure) => (
          <div class="grid">
            <Panel title="Message">
              <CodeBlock label="Message" text={failure.message} />
            </Panel>
            <NodesPanel failure={failure} mayRun={mayRun} />
            <FactsPanel failure={failure} />
            <DeployPanel failure={failure} />
          </div>
        )}
      </AnswerView>
    </>
  );
}

function FailureLead({ failure }: { readonly failure: FailureRow }) {
  return (
    <span class="lead-row">
      <StateBadge state={failureState(failure)} />
      <span>{failure.environment}</span>
      <span>{failure.count === 1 ? '1 node' : `${failure.count.toLocaleString('en')} nodes`}</span>
    </span>
  );
}

function NodesActions({ failure, mayRun }: { readonly failure: FailureRow; readonly mayRun: boolean }) {
  const mayRunTasks = usePermission('tasks', 'run');
  return (
    <>
      {mayRunTasks && (
        <Link to={jobPathOf(failure, 'task')} class="button">
          Run a task
        </Link>
      )}
      {mayRun && <RunAgain failure={failure} />}
    </>
  );
}

function RunAgain({ failure }: { readonly failure: FailureRow }) {
  const { nodes, count } = failure;
  const all = count === 1 ? 'Run again on this node' : `Run again on these ${count}`;
  return (
    <Link to={jobPathOf(failure, 'deploy')} class="button button-primary">
      {nodes.length < count ? `Run again on the first ${nodes.length}` : all}
    </Link>
  );
}

function FactsPanel({ failure }: { readonly failure: FailureRow }) {
  const { kind, firstAt, lastAt, closedAt, lines } = failure;
  return (
    <Panel title="When and where" span={6}>
      <FactList
        entries={[
          ['Fails', kind === 'compile' ? 'the compile of the catalog' : 'the run of the agent'],
          ['First', <RelativeTime key="first" at={firstAt} />],
          ['Last', <RelativeTime key="last" at={lastAt} />],
          ...(closedAt === null ? [] : ([['Ended', <RelativeTime key="closed" at={closedAt} />]] as const)),
          ['Code', lines.length === 0 ? 'not known' : <CodePlaces key="code" failure={failure} />],
        ]}
      />
    </Panel>
  );
}

function CodePlaces({ failure: { environment, deploy, lines } }: { readonly failure: FailureRow }) {
  return (
    <ul class="readers">
      {lines.map((place) => (
        <li key={printLine(place)}>
          {/* Places are those of the code that it began with, where that is known. */}
          <PlaceLink file={place.file} line={place.line} environment={environment} codeId={deploy?.codeId ?? null}>
            <code>{printLine(place)}</code>
          </PlaceLink>
        </li>
      ))}
    </ul>
  );
}

function DeployPanel({ failure }: { readonly failure: FailureRow }) {
  const { environment, deploy } = failure;
  const shown = deployOf(failure);
  const environments = useAnswer(deploy === null ? null : '/understudy/v1/environments', { events: ['deploy'] });
  const record = environments.data?.environments.find(({ name }) => name === environment);
  if (deploy === null || shown === null) {
    return (
      <Panel title="Deploy" span={6}>
        <p class="muted">It did not begin with a deploy, as far as it is known.</p>
      </Panel>
    );
  }
  const isInForce = record?.codeId === deploy.codeId;
  return (
    <Panel title="It began with a deploy" span={6}>
      <FactList
        entries={[
          ['Code', <ShortId key="code" id={deploy.codeId} />],
          [deploy.isStaged ? 'Staged' : 'Deployed', <RelativeTime key="at" at={deploy.at} />],
          ['By', deploy.user],
          [
            'What it changed',
            <Link key="why" to={whyPath(shown)}>
              Files and nodes
            </Link>,
          ],
        ]}
      />
      {deploy.isStaged && record?.stage?.codeId === deploy.codeId && (
        <p class="notice notice-wait">
          <span>Canaries alone have this code.</span> <Link to="/code">Promote or abort it</Link>
        </p>
      )}
      {!deploy.isStaged && isInForce && deploy.previous !== null && (
        <div class="panel-foot">
          <p>The code before is there to go back to. A dry run shows what that changes.</p>
          <RollBack deploy={{ ...shown, codeId: deploy.previous, isInForce: false }} />
        </div>
      )}
      {!deploy.isStaged && record !== undefined && !isInForce && (
        <p class="muted panel-foot">This code is not in force any more.</p>
      )}
    </Panel>
  );
}

function NodesPanel({ failure, mayRun }: { readonly failure: FailureRow; readonly mayRun: boolean }) {
  const { kind, nodes, count } = failure;
  const more = count - nodes.length;
  return (
    <Panel title={`Nodes: ${count.toLocaleString('en')}`} actions={<NodesActions failure={failure} mayRun={mayRun} />}>
      <ul class="name-list">
        {nodes.map((certname) => (
          <li key={certname}>
            <Link to={pathOf('nodes', certname, kind === 'run' ? 'reports' : 'compiles')}>{certname}</Link>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted panel-foot">and {more.toLocaleString('en')} more</p>}
    </Panel>
  );
}
