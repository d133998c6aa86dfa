import { useContext, useState } from 'preact/hooks';
import type { TokenRow } from '../../data/access-shapes.ts';
import { callApi } from '../../data/api-client.ts';
import { createTokenCommand } from '../../data/commands/cli-commands.ts';
import { SessionContext } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import type { ConfirmedAction } from '../../parts/confirm-dialog.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { SelectField, TextField } from '../../parts/fields.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { showCut } from '../../parts/show-cut.tsx';
import { RelativeTime } from '../../parts/time.tsx';

interface TokenList {
  readonly items?: readonly TokenRow[];
}

/** The user's own active tokens, and a form for a new one. */
export function TokensTab() {
  const session = useContext(SessionContext);
  const id = session?.user.id ?? '';
  const answer = useAnswer<TokenList | readonly TokenRow[]>(
    `/rbac-api/v1/users/${encodeURIComponent(id)}/tokens?limit=200`,
  );
  const columns: readonly TableColumn<TokenRow>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      title: 'Actions',
      show: (token) => <RowMenu of={token.label ?? token.id} actions={listActions(token, answer.reload)} />,
    },
  ];
  return (
    <div class="grid one-line-rows">
      <NewToken onDone={answer.reload} />
      <Panel title="Active tokens">
        <AnswerView answer={answer} what="the tokens" lines={6}>
          {(list) => {
            const rows = 'items' in list ? (list.items ?? []) : Array.isArray(list) ? list : [];
            return rows.length === 0 ? (
              <EmptyState title="You have none." />
            ) : (
              <DataTable label="List of tokens" columns={columns} rows={rows} keyOf={(token) => token.id} />
            );
          }}
        </AnswerView>
      </Panel>
    </div>
  );
}

const COLUMNS: readonly TableColumn<TokenRow>[] = [
  { id: 'label', title: 'Label', show: ({ label }) => label ?? '' },
  { id: 'description', title: 'Description', isWide: true, show: ({ description }) => showCut(description) },
  { id: 'client', title: 'Client', show: ({ client }) => client ?? '' },
  { id: 'created', title: 'Created', show: ({ creation_date }) => <RelativeTime at={creation_date} /> },
  { id: 'used', title: 'Last used', show: ({ last_active_date }) => <RelativeTime at={last_active_date} /> },
  { id: 'ends', title: 'Ends', show: ({ expiration_date }) => <RelativeTime at={expiration_date} /> },
];

/** A token can be revoked by its label; others end by themselves. */
function listActions({ label }: TokenRow, onDone: () => void): readonly ConfirmedAction[] {
  if (label === null) return [];
  return [
    {
      label: 'Revoke',
      question: `Revoke the token ${label}?`,
      done: `The token ${label} is revoked.`,
      tone: 'danger',
      perform: async () => {
        await callApi('/rbac-api/v2/tokens', { method: 'DELETE', body: { revoke_tokens_by_labels: [label] } });
        onDone();
      },
      children: 'What uses it gets no more answers. Your other tokens stay, and so does this session.',
    },
  ];
}

const LIFETIMES: readonly (readonly [string, string])[] = [
  ['1h', 'One hour'],
  ['8h', 'Eight hours'],
  ['7d', 'Seven days'],
  ['90d', 'Ninety days'],
  ['1y', 'One year'],
];

function NewToken({ onDone }: { readonly onDone: () => void }) {
  const login = useContext(SessionContext)?.user.login ?? '';
  const [label, setLabel] = useState('');
  const [lifetime, setLifetime] = useState('8h');
  const [token, setToken] = useState<string | null>(null);
  const create = useAction(async () => {
    const body = { lifetime, client: 'console', ...(label === '' ? {} : { label }) };
    const { data } = await callApi('/rbac-api/v1/tokens', { method: 'POST', body });
    setToken((data as { readonly token: string }).token);
    setLabel('');
    onDone();
  });
  return (
    <Panel title="New token">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          create.run(undefined);
        }}
      >
        <div class="form-row">
          <TextField label="Label" value={label} onChange={setLabel} placeholder="deploy-pipeline" />
          <SelectField label="Lifetime" value={lifetime} onChange={setLifetime} options={LIFETIMES} />
          <button type="submit" class="button button-primary" aria-disabled={create.isRunning}>
            Create
          </button>
        </div>
        <CommandLine words={login === '' ? null : createTokenCommand(login, lifetime, label)} />
        {create.fault !== null && (
          <p class="field-fault" role="alert">
            {create.fault.message}
          </p>
        )}
        {token !== null && (
          <div role="status">
            <p class="muted">Copy it now: it is not shown again.</p>
            <CodeBlock text={token} label="The new token" />
          </div>
        )}
      </form>
    </Panel>
  );
}
