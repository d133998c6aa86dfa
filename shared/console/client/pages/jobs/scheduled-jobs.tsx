import { useContext, useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import type { ScheduledJob } from '../../data/job-shapes.ts';
import { isPermitted, SessionContext } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';

interface ScheduledList {
  readonly items: readonly ScheduledJob[];
}

/** Jobs that run later, or again and again. */
export function ScheduledJobs() {
  const session = useContext(SessionContext);
  const [chosen, setChosen] = useState<ScheduledJob | null>(null);
  const answer = useAnswer<ScheduledList>('/orchestrator/v1/scheduled_jobs/environment_jobs?limit=500', {
    events: ['job'],
  });
  const mayDelete = ({ owner }: ScheduledJob) =>
    session !== null &&
    (owner.login === session.user.login || isPermitted(session.permissions, 'scheduled_jobs', 'delete'));
  const columns: readonly TableColumn<ScheduledJob>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      title: 'Delete',
      show: (job) =>
        mayDelete(job) && (
          <button type="button" class="button button-small button-danger" onClick={() => setChosen(job)}>
            Delete
          </button>
        ),
    },
  ];
  return (
    <>
      <AnswerView answer={answer} what="the scheduled jobs" lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="Nothing is scheduled.">Choose "Later" when you run Puppet or a task.</EmptyState>
          ) : (
            <DataTable label="Scheduled jobs" columns={columns} rows={items} keyOf={({ name }) => name} />
          )
        }
      </AnswerView>
      {chosen !== null && <DeleteDialog job={chosen} onClose={() => setChosen(null)} onDone={answer.reload} />}
    </>
  );
}

const COLUMNS: readonly TableColumn<ScheduledJob>[] = [
  { id: 'name', title: 'Number', show: ({ name }) => name },
  { id: 'type', title: 'What', isWide: true, show: describeScheduled },
  { id: 'next', title: 'Next run', show: ({ next_run }) => <RelativeTime at={next_run?.time} /> },
  {
    id: 'interval',
    title: 'Repeats',
    show: ({ schedule }) => (schedule.interval === null ? 'once' : `every ${printDuration(schedule.interval.value)}`),
  },
  {
    id: 'last',
    title: 'Last run',
    isWide: true,
    show: ({ last_run }) => last_run?.submission_error ?? <RelativeTime at={last_run?.time} />,
  },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'owner', title: 'By', show: ({ owner }) => owner.login },
];

function describeScheduled({ type, input, description }: ScheduledJob): string {
  const name: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'name') : null;
  const what = type === 'deploy' ? 'Puppet' : `Task ${String(name ?? '')}`;
  return description === '' ? what : `${what}: ${description}`;
}

interface DeleteDialogProps {
  readonly job: ScheduledJob;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DeleteDialog({ job, onClose, onDone }: DeleteDialogProps) {
  const remove = useAction(async () => {
    await callApi(`/orchestrator/v1/scheduled_jobs/${encodeURIComponent(job.name)}`, { method: 'DELETE' });
    announce(`The scheduled job ${job.name} is deleted.`);
    onClose();
    onDone();
  });
  return (
    <ActionDialog
      title={`Delete scheduled job ${job.name}?`}
      action={remove}
      label="Delete"
      cancel="Keep it"
      tone="danger"
      onClose={onClose}
    >
      <p>It does not run any more. Jobs that it started stay as they are.</p>
    </ActionDialog>
  );
}
