import { useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import { stopJobCommand } from '../../data/commands/cli-commands.ts';
import type { JobEventList, PlanJob } from '../../data/job-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView } from '../../parts/answer-view.tsx';
import { CodeBlock, showValue } from '../../parts/code-block.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { FactList, PageHead, Panel } from '../../parts/panel.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';
import { badgeOf, describePlan } from './plan-jobs.tsx';

const EVERY_MS = 2_000;

type PlanEvent = JobEventList['items'][number];

const COLUMNS: readonly TableColumn<PlanEvent>[] = [
  { id: 'at', title: 'When', show: ({ timestamp }) => <RelativeTime at={timestamp} /> },
  { id: 'message', title: 'Event', isWide: true, show: ({ message }) => message },
];

/** One plan job: its progress, its jobs, its result and its events. */
export function PlanJobPage({ job }: { readonly job: string }) {
  const base = `/orchestrator/v1/plan_jobs/${encodeURIComponent(job)}`;
  const [isOver, setOver] = useState(false);
  const live = isOver ? {} : { every: EVERY_MS };
  const answer = useAnswer<PlanJob>(base, live);
  const events = useAnswer<JobEventList>(`${base}/events`, live);
  const hasEnded = answer.data !== null && answer.data.state !== 'running';
  if (hasEnded !== isOver) setOver(hasEnded);
  return (
    <>
      <PageHead
        title={`Plan job ${job}`}
        lead={answer.data === null ? 'Plan job' : <PlanLead job={answer.data} />}
        actions={answer.data !== null && !hasEnded && <StopPlan job={job} onDone={answer.reload} />}
      />
      <AnswerView answer={answer} what="the plan job" lines={4} isSummary>
        {(found) => <PlanSummary job={found} />}
      </AnswerView>
      {answer.data !== null && (
        <AnswerView answer={events} what="the events" lines={8}>
          {({ items }) => <DataTable label="Events" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />}
        </AnswerView>
      )}
    </>
  );
}

function PlanLead({ job }: { readonly job: PlanJob }) {
  return (
    <span class="lead-row">
      <span role="status">
        <StateBadge state={badgeOf(job.state)} />
      </span>
      <span>{describePlan(job)}</span>
    </span>
  );
}

function PlanSummary({ job }: { readonly job: PlanJob }) {
  const jobs = Object.keys(job.status ?? {});
  return (
    <>
      <div class="summary">
        <FactList
          entries={[
            ['By', job.owner.login],
            ['Environment', job.options.environment ?? ''],
          ]}
        />
        <FactList
          entries={[
            ['Started', <RelativeTime key="started" at={job.created_timestamp} />],
            ['Took', printDuration(job.duration)],
          ]}
        />
        <FactList
          entries={[
            [
              'Jobs',
              <span key="jobs" class="lead-row">
                {jobs.map((name) => (
                  <Link key={name} to={pathOf('jobs', name)}>
                    {name}
                  </Link>
                ))}
              </span>,
            ],
          ]}
        />
      </div>
      <Panel title="Parameters">
        <CodeBlock label="Parameters" text={showValue(job.options.parameters)} />
      </Panel>
      {job.state !== 'running' && (
        <Panel title="Result">
          <CodeBlock label="Result" text={showValue(job.result ?? null)} />
        </Panel>
      )}
    </>
  );
}

function StopPlan({ job, onDone }: { readonly job: string; readonly onDone: () => void }) {
  return (
    <ConfirmButton
      label="Stop"
      question={`Stop plan job ${job}?`}
      done={`Plan job ${job} was stopped.`}
      tone="danger"
      command={stopJobCommand('plan', job)}
      perform={async () => {
        await callApi('/orchestrator/v1/command/stop_plan', { method: 'POST', body: { plan_job: job } });
        onDone();
      }}
    >
      <p>Nodes that run may finish. Nothing else of the plan begins.</p>
    </ConfirmButton>
  );
}
