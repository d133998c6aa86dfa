import type { ApiSchema } from '../../../api/described-answers.ts';
import type { QueueCount } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../parts/after-answer.tsx';
import { AnswerView } from '../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { PageHead, Panel } from '../parts/panel.tsx';
import { printDuration } from '../parts/time.tsx';
import { DeadLetters } from './dead-letters.tsx';

/** Nodes that wait for a compile, and those that were given up. */
export function QueuePage() {
  const answer = useAnswer('/understudy/v1/queue', { events: ['node', 'deploy'], every: 5_000 });
  const isSettled = useSettled([answer]);
  return (
    <>
      <PageHead title="Queue" lead="Compiles that wait, and what was given up" />
      <div class="grid">
        <Panel title="Queues">
          <AnswerView answer={answer} what="the queue" lines={6}>
            {({ queues }) => <QueueContent queues={queues} />}
          </AnswerView>
        </Panel>
        <AfterAnswer isSettled={isSettled}>
          <DeadLetters />
        </AfterAnswer>
      </div>
    </>
  );
}

interface QueueRow extends QueueCount {
  readonly name: string;
}

/** Purpose of each queue. */
const QUEUES: Readonly<Record<string, string>> = {
  waiting: 'Agents wait for these catalogs',
  express: 'An input changed',
  background: 'Verification, and whole environments',
  dead: 'Given up',
};

function QueueContent({ queues }: ApiSchema<'Queues'>) {
  const rows = Object.entries(queues).map(([name, count]) => ({ name, ...count }));
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
