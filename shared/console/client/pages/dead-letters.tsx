import type { ApiSchema } from '../../../api/described-answers.ts';
import { callApi } from '../data/api-client.ts';
import { redriveCommand } from '../data/commands/cli-commands.ts';
import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';

type DeadLetterList = ApiSchema<'DeadLetters'>;
type DeadLetterRow = DeadLetterList['deadLetters'][number];
type LetterQueueName = ApiSchema<'LetterQueue'>;

const NAMES: readonly LetterQueueName[] = ['compile', 'fan-out', 'notify', 'report-url', 'puppetdb', 'alert-url'];
const ADDRESS = '/understudy/v1/dead-letters';
const QUEUES: Readonly<Record<LetterQueueName, string>> = {
  compile: 'Compiles',
  'fan-out': 'Deploys',
  notify: 'Runs of changed catalogs',
  'report-url': 'Report URL',
  puppetdb: 'PuppetDB',
  'alert-url': 'Alert URL',
};

/** Dead letters of all queues; nothing for users who may not see them. */
export function DeadLetters() {
  const mayRead = usePermission('nodes', 'view_data');
  const answer = useAnswer(mayRead ? `${ADDRESS}?limit=100` : null, { every: 30_000 });
  const mayRedrive = useRedrivable();
  const { data, reload } = answer;
  if (!mayRead) return null;
  const redrivable = data === null ? [] : NAMES.filter((name) => data.counts[name] > 0 && mayRedrive(name));
  const actions: TableColumn<DeadLetterRow> = {
    id: 'actions',
    title: 'Actions',
    show: (letter) => (mayRedrive(letter.queue) ? <RedriveLetter letter={letter} onDone={reload} /> : null),
  };
  return (
    <Panel title="Dead letters" actions={redrivable.length > 0 && <RedriveAll queues={redrivable} onDone={reload} />}>
      <AnswerView answer={answer} what="the dead letters" lines={4}>
        {(list) => <LetterTable list={list} columns={redrivable.length > 0 ? [...COLUMNS, actions] : COLUMNS} />}
      </AnswerView>
    </Panel>
  );
}

interface LetterTableProps {
  readonly list: DeadLetterList;
  readonly columns: readonly TableColumn<DeadLetterRow>[];
}

function LetterTable({ list: { counts, deadLetters }, columns }: LetterTableProps) {
  const count = NAMES.reduce((sum, name) => sum + counts[name], 0);
  if (deadLetters.length === 0) {
    return (
      <EmptyState title="There are none.">
        A compile, a deploy, a run, or something to be forwarded that was tried too often without an outcome ends here.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="List of dead letters"
        columns={columns}
        rows={deadLetters}
        keyOf={({ queue, id }) => `${queue} ${id}`}
      />
      {count > deadLetters.length && (
        <p class="muted">
          These are the newest {deadLetters.length} of about {count.toLocaleString('en')}.
        </p>
      )}
    </>
  );
}

const COLUMNS: readonly TableColumn<DeadLetterRow>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'queue', title: 'Queue', show: ({ queue }) => QUEUES[queue] },
  {
    id: 'certname',
    title: 'Node',
    show: ({ certname }) => (certname === null ? '' : <NodeLink certname={certname} />),
  },
  {
    id: 'content',
    title: 'What',
    show: ({ content, certname, transactionUuid }) =>
      transactionUuid === null || certname === null ? (
        content
      ) : (
        <Link to={pathOf('reports', certname, transactionUuid)}>{content}</Link>
      ),
  },
  { id: 'reason', title: 'What failed', isWide: true, show: ({ reason }) => reason },
  { id: 'cause', title: 'Cause', show: ({ cause }) => cause ?? '' },
];

/** Returns whether the user may have a queue's letters tried again. */
function useRedrivable(): (queue: LetterQueueName) => boolean {
  const mayCompile = usePermission('puppetserver', 'compile_catalogs');
  const mayRun = usePermission('puppet_agent', 'run');
  return (queue) => (queue === 'notify' ? mayRun : mayCompile);
}

interface RedriveLetterProps {
  readonly letter: DeadLetterRow;
  readonly onDone: () => void;
}

function RedriveLetter({ letter, onDone }: RedriveLetterProps) {
  const { queue, id, content, certname, isDue, isReadable } = letter;
  if (!isReadable) return <span class="muted">cannot be read</span>;
  if (isDue) return <span class="muted">is due</span>;
  return (
    <ConfirmButton
      label="Redrive"
      spoken={`Redrive the ${content} of ${certname ?? id}`}
      question={`Try the ${content} again?`}
      done="It is tried again from now on."
      command={redriveCommand(queue, id)}
      perform={async () => {
        await redrive(queue, { id });
        onDone();
      }}
      isSmall
    >
      It is tried as often as a new one, and comes back here when it fails again.
    </ConfirmButton>
  );
}

interface RedriveAllProps {
  readonly queues: readonly LetterQueueName[];
  readonly onDone: () => void;
}

function RedriveAll({ queues, onDone }: RedriveAllProps) {
  return (
    <ConfirmButton
      label="Redrive all"
      question="Try all of them again?"
      done="They are tried again from now on."
      command={redriveCommand(null, null)}
      perform={async () => {
        for (const queue of queues) await redrive(queue, {});
        onDone();
      }}
    >
      Up to 1,000 of each queue are tried as often as new ones. What fails again comes back here.
    </ConfirmButton>
  );
}

async function redrive(queue: LetterQueueName, body: { readonly id?: string }): Promise<void> {
  await callApi(`${ADDRESS}/${queue}/redrive`, { method: 'POST', body });
}
