import { callApi } from '../../data/api-client.ts';
import type { KeptValueList } from '../../data/code-shapes.ts';
import { rotateValueCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { ChoiceBox, SearchBox } from '../../parts/search-box.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useParameters } from '../../routing/location.ts';

const PAGE_SIZE = 50;

/** The values that code of modules creates once and keeps on the server, without their texts. */
export function ValuesTab() {
  const [query] = useParameters();
  const environment = query.get('environment') ?? '';
  const answer = useAnswer(`/understudy/v1/values?environment=${encodeURIComponent(environment)}`, {
    events: ['node'],
  });
  const environments = useAnswer('/understudy/v1/environments');
  const names = environments.data?.environments.map(({ name }) => [name, name] as const) ?? [];
  return (
    <>
      <div class="filters">
        <ChoiceBox label="Environment" name="environment" options={[['', 'All'], ...names]} />
        <SearchBox label="Name contains" name="find" placeholder="postgres::password" />
      </div>
      <AnswerView answer={answer} what="the values" lines={8}>
        {(list) => <ValueTable list={list} onDone={answer.reload} />}
      </AnswerView>
    </>
  );
}

function ValueTable({ list, onDone }: { readonly list: KeptValueList; readonly onDone: () => void }) {
  const [query] = useParameters();
  const wanted = (query.get('find') ?? '').toLowerCase();
  const found = list.values.filter(({ name }) => name.toLowerCase().includes(wanted));
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  if (found.length === 0) {
    return (
      <EmptyState title={wanted === '' ? 'No value is kept.' : 'No value matches.'}>
        Functions of modules keep passwords and keys here that they create once.
      </EmptyState>
    );
  }
  const rows = found.slice(offset, offset + PAGE_SIZE);
  const columns: readonly TableColumn<KeptValueList['values'][number]>[] = [
    ...COLUMNS,
    { id: 'actions', title: 'Actions', show: (value) => <Rotate value={value} onDone={onDone} /> },
  ];
  return (
    <>
      <p class="table-lead">
        Their texts are sealed, and shown nowhere.
        {list.hasMore && ' There are more than the 2,000 that are listed: choose an environment.'}
      </p>
      <DataTable
        label="Kept values"
        columns={columns}
        rows={rows}
        keyOf={({ environment, name }) => `${environment}/${name}`}
      />
      <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
    </>
  );
}

const COLUMNS: readonly TableColumn<KeptValueList['values'][number]>[] = [
  { id: 'name', title: 'Name', isWide: true, show: ({ name }) => <PathText text={name} /> },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'changed', title: 'Changed', show: ({ changedAt }) => <RelativeTime at={changedAt} /> },
  { id: 'by', title: 'By', isWide: true, show: ({ by }) => by },
];

function Rotate({
  value: { environment, name },
  onDone,
}: {
  readonly value: KeptValueList['values'][number];
  readonly onDone: () => void;
}) {
  const mayRotate = usePermission('environment', 'deploy_code', environment);
  if (!mayRotate) return null;
  return (
    <ConfirmButton
      label="Rotate"
      spoken={`Rotate ${name} of ${environment}`}
      question={`Rotate ${name}?`}
      done={`${name} is rotated.`}
      tone="danger"
      command={rotateValueCommand(environment, name)}
      perform={async () => {
        const path = `/understudy/v1/environments/${encodeURIComponent(environment)}/values/rotate`;
        await callApi(path, { method: 'POST', body: { name } });
        onDone();
      }}
      isSmall
    >
      The value is removed, and the next compile creates another one. The nodes that use it compile at once, and get it
      with their next run.
    </ConfirmButton>
  );
}
