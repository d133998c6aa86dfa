import { callApi } from '../data/api-client.ts';
import { usePermission } from '../data/session.ts';
import { type AnswerState, useAnswer } from '../data/use-answer.ts';
import { AnswerView } from '../parts/answer-view.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';

interface ForwardLetterRow {
  readonly id: string;
  readonly target: 'report-url' | 'puppetdb';
  readonly certname: string;
  readonly content: string;
  readonly transactionUuid: string | null;
  readonly reason: string;
  readonly at: number;
  readonly isDue: boolean;
}

interface ForwardLetterList {
  readonly count: number;
  readonly deadLetters: readonly ForwardLetterRow[];
}

const ADDRESS = '/understudy/v1/forwarding/dead-letters';
const RECEIVERS = { 'report-url': 'Report URL', puppetdb: 'PuppetDB' } as const;

/** What --report-url and --puppetdb did not take; nothing is read for users who may not see it. */
export function useForwardLetters(): AnswerState<ForwardLetterList> {
  const mayRead = usePermission('nodes', 'view_data');
  return useAnswer<ForwardLetterList>(mayRead ? `${ADDRESS}?limit=100` : null, { every: 30_000 });
}

/** The panel of what was not delivered; none while everything was. */
export function ForwardLetters({ answer }: { readonly answer: AnswerState<ForwardLetterList> }) {
  const mayRedrive = usePermission('puppetserver', 'compile_catalogs');
  const { data, fault, reload } = answer;
  if (fault === null && (data?.count ?? 0) === 0) return null;
  const actions: readonly TableColumn<ForwardLetterRow>[] = [
    { id: 'actions', title: 'Actions', show: (letter) => <RedriveLetter letter={letter} onDone={reload} /> },
  ];
  const all = mayRedrive && data !== null && <RedriveAll count={data.count} onDone={reload} />;
  return (
    <Panel title="Not delivered" actions={all}>
      <AnswerView answer={answer} what="what was not delivered" lines={4}>
        {({ count, deadLetters }) => (
          <>
            <DataTable
              label="List of what was not delivered"
              columns={mayRedrive ? [...COLUMNS, ...actions] : COLUMNS}
              rows={deadLetters}
              keyOf={({ target, id }) => `${target} ${id}`}
            />
            {count > deadLetters.length && (
              <p class="muted">
                These are the newest {deadLetters.length} of {count.toLocaleString('en')}.
              </p>
            )}
          </>
        )}
      </AnswerView>
    </Panel>
  );
}

const COLUMNS: readonly TableColumn<ForwardLetterRow>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'target', title: 'Receiver', show: ({ target }) => RECEIVERS[target] },
  { id: 'certname', title: 'Node', show: ({ certname }) => <Link to={pathOf('nodes', certname)}>{certname}</Link> },
  {
    id: 'content',
    title: 'What',
    show: ({ content, certname, transactionUuid }) =>
      transactionUuid === null ? content : <Link to={pathOf('reports', certname, transactionUuid)}>{content}</Link>,
  },
  { id: 'reason', title: 'What the receiver answered', isWide: true, show: ({ reason }) => reason },
];

interface RedriveLetterProps {
  readonly letter: ForwardLetterRow;
  readonly onDone: () => void;
}

function RedriveLetter({ letter: { id, target, content, certname, isDue }, onDone }: RedriveLetterProps) {
  if (isDue) return <span class="muted">is due</span>;
  return (
    <ConfirmButton
      label="Redrive"
      spoken={`Redrive the ${content} of ${certname}`}
      question={`Send the ${content} again?`}
      done="It is sent within 30 seconds."
      perform={async () => {
        await redrive({ target, id });
        onDone();
      }}
      isSmall
    >
      The server sends it to the receiver once more. It stays here when the receiver rejects it again.
    </ConfirmButton>
  );
}

function RedriveAll({ count, onDone }: { readonly count: number; readonly onDone: () => void }) {
  return (
    <ConfirmButton
      label="Redrive all"
      question={count === 1 ? 'Send the dead letter again?' : `Send all ${count.toLocaleString('en')} again?`}
      done="They are sent from now on."
      perform={async () => {
        await redrive({});
        onDone();
      }}
    >
      The server sends them to their receivers once more. What a receiver rejects again stays here.
    </ConfirmButton>
  );
}

async function redrive(body: { readonly target?: string; readonly id?: string }): Promise<void> {
  await callApi(`${ADDRESS}/redrive`, { method: 'POST', body });
}
