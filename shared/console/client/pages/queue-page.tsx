import { callApi } from '../data/api-client.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';

interface QueueAnswer {
  readonly depth: number;
  readonly running: number | null;
  readonly oldestAt: number | null;
  readonly deadLetters: number;
  readonly waiting: readonly { readonly certname: string; readonly since: number; readonly reason: string | null }[];
}

interface DeadLetter {
  readonly id: string;
  readonly certname: string | null;
  readonly error: string;
  readonly attempts: number;
  readonly at: number;
}

interface DeadLetterList {
  readonly deadLetters: readonly DeadLetter[];
  readonly next: string | null;
}

/** What waits for a compile, and what was given up. */
export function QueuePage() {
  const answer = useAnswer<QueueAnswer>('/understudy/v1/queue', { events: ['node', 'deploy'], every: 5_000 });
  return (
    <>
      <PageHead title="Queue" lead="Compiles that wait, and those that were given up" />
      <div class="grid">
        <Panel title="Queue">
          <AnswerView answer={answer} what="the queue" lines={6}>
            {(queue) => <QueueContent queue={queue} />}
          </AnswerView>
        </Panel>
        <DeadLetters />
      </div>
    </>
  );
}

function QueueContent({ queue }: { readonly queue: QueueAnswer }) {
  return (
    <>
      <FactList
        entries={[
          ['Waiting', queue.depth.toLocaleString('en')],
          ['Running', queue.running === null ? 'unknown' : queue.running.toLocaleString('en')],
          ['Oldest', queue.oldestAt === null ? 'none' : <RelativeTime key="oldest" at={queue.oldestAt} />],
          ['Dead letters', queue.deadLetters.toLocaleString('en')],
        ]}
      />
      {queue.waiting.length > 0 && (
        <div class="below">
          <DataTable label="Waiting nodes" columns={COLUMNS} rows={queue.waiting} keyOf={({ certname }) => certname} />
        </div>
      )}
    </>
  );
}

const COLUMNS: readonly TableColumn<QueueAnswer['waiting'][number]>[] = [
  { id: 'certname', title: 'Node', show: ({ certname }) => <Link to={pathOf('nodes', certname)}>{certname}</Link> },
  { id: 'since', title: 'Waits since', show: ({ since }) => <RelativeTime at={since} /> },
  { id: 'reason', title: 'Why', isWide: true, show: ({ reason }) => reason ?? '' },
];

function DeadLetters() {
  const answer = useAnswer<DeadLetterList>('/understudy/v1/queue/dead-letters?limit=100', { every: 30_000 });
  const mayRedrive = usePermission('puppetserver', 'compile_catalogs');
  const columns: readonly TableColumn<DeadLetter>[] = [
    ...LETTER_COLUMNS,
    ...(mayRedrive
      ? [
          {
            id: 'actions',
            title: 'Actions',
            show: (letter: DeadLetter) => <Redrive letter={letter} onDone={answer.reload} />,
          },
        ]
      : []),
  ];
  return (
    <Panel title="Dead letters">
      <AnswerView answer={answer} what="the dead letters" lines={4}>
        {({ deadLetters }) =>
          deadLetters.length === 0 ? (
            <EmptyState title="There are none.">
              A compile that fails again and again for no fault of the code ends here.
            </EmptyState>
          ) : (
            <DataTable label="List of dead letters" columns={columns} rows={deadLetters} keyOf={({ id }) => id} />
          )
        }
      </AnswerView>
    </Panel>
  );
}

const LETTER_COLUMNS: readonly TableColumn<DeadLetter>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'certname',
    title: 'Node',
    show: ({ certname }) => (certname === null ? '' : <Link to={pathOf('nodes', certname)}>{certname}</Link>),
  },
  { id: 'error', title: 'Error', isWide: true, show: ({ error }) => error },
  { id: 'attempts', title: 'Attempts', isNumeric: true, show: ({ attempts }) => attempts },
];

function Redrive({ letter, onDone }: { readonly letter: DeadLetter; readonly onDone: () => void }) {
  return (
    <ConfirmButton
      label="Redrive"
      spoken={`Redrive ${letter.certname ?? letter.id}`}
      question="Put it into the queue again?"
      done="It is in the queue again."
      perform={async () => {
        await callApi(`/understudy/v1/queue/dead-letters/${encodeURIComponent(letter.id)}/redrive`, { method: 'POST' });
        onDone();
      }}
      isSmall
    >
      It is tried as often as a new one, and comes back here when it fails again.
    </ConfirmButton>
  );
}
