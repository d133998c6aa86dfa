import { callApi } from '../data/api-client.ts';
import type { QueueCount } from '../data/overview-shapes.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { printDuration, RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';
import { ForwardLetters, useForwardLetters } from './forward-letters.tsx';

interface QueueAnswer {
  readonly queues: Readonly<Record<string, QueueCount>>;
}

interface DeadLetter {
  readonly id: string;
  readonly certname: string;
  readonly generation: number;
  readonly reason: string;
  readonly at: number;
}

interface DeadLetterList {
  readonly deadLetters: readonly DeadLetter[];
}

/** What waits for a compile, and what was given up. */
export function QueuePage() {
  const answer = useAnswer<QueueAnswer>('/understudy/v1/queue', { events: ['node', 'deploy'], every: 5_000 });
  const letters = useForwardLetters();
  const isSettled = useSettled([answer]);
  return (
    <>
      <PageHead title="Queue" lead="Compiles that wait, and what was given up" />
      <div class="grid">
        <Panel title="Queues">
          <AnswerView answer={answer} what="the queue" lines={6}>
            {(queue) => <QueueContent queue={queue} />}
          </AnswerView>
        </Panel>
        <AfterAnswer isSettled={isSettled}>
          <DeadLetters />
          <ForwardLetters answer={letters} />
        </AfterAnswer>
      </div>
    </>
  );
}

interface QueueRow extends QueueCount {
  readonly name: string;
}

/** What the queues are for. */
const QUEUES: Readonly<Record<string, string>> = {
  waiting: 'Agents wait for these catalogs',
  express: 'An input changed',
  background: 'Verification, and whole environments',
  dead: 'Given up',
};

function QueueContent({ queue }: { readonly queue: QueueAnswer }) {
  const rows = Object.entries(queue.queues).map(([name, count]) => ({ name, ...count }));
  return <DataTable label="Queues" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />;
}

const COLUMNS: readonly TableColumn<QueueRow>[] = [
  { id: 'name', title: 'Queue', show: ({ name }) => name },
  { id: 'what', title: 'What is in it', isWide: true, show: ({ name }) => QUEUES[name] ?? '' },
  { id: 'depth', title: 'Waiting', isNumeric: true, show: ({ visible }) => visible.toLocaleString('en') },
  { id: 'running', title: 'Running', isNumeric: true, show: ({ inFlight }) => inFlight.toLocaleString('en') },
  {
    id: 'oldest',
    title: 'Oldest',
    isNumeric: true,
    show: ({ oldestAgeMs }) => (oldestAgeMs === 0 ? '' : printDuration(oldestAgeMs / 1000)),
  },
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
              A compile that was tried too often without an outcome ends here.
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
    show: ({ certname }) => <Link to={pathOf('nodes', certname)}>{certname}</Link>,
  },
  { id: 'reason', title: 'Why it was to be compiled', isWide: true, show: ({ reason }) => reason },
];

function Redrive({ letter, onDone }: { readonly letter: DeadLetter; readonly onDone: () => void }) {
  return (
    <ConfirmButton
      label="Redrive"
      spoken={`Redrive ${letter.certname}`}
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
