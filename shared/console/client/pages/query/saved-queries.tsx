import { useState } from 'preact/hooks';
import type { ApiSchema } from '../../../../api/described-answers.ts';
import { callApi } from '../../data/api-client.ts';
import { useAction } from '../../data/use-action.ts';
import type { AnswerState } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AnswerView } from '../../parts/answer-view.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CheckField, TextField } from '../../parts/fields.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../parts/toasts.tsx';
import { Link } from '../../routing/link.tsx';

type SavedQueries = ApiSchema<'SavedQueries'>;
type Scope = 'own' | 'shared';

/** The address of all saved queries. */
export const SAVED_QUERIES = '/understudy/v1/queries';

/** Usual questions, for a console where nothing is saved yet. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ['Nodes by operating system', 'inventory[facts.os.name, count()] {\n  group by facts.os.name\n}'],
  [
    'What failed in the last runs',
    'events[certname, resource_type, resource_title, message] {\n  status = "failure" and latest_report? = true\n}',
  ],
  ['Nodes with a class', 'resources[certname, file, line] {\n  type = "Class" and title = "Ntp"\n}'],
  ['Versions of a package', 'package_inventory[certname, version] {\n  package_name = "openssl"\n}'],
];

interface SavedProps {
  readonly saved: AnswerState<SavedQueries>;
}

/** The user's queries, those of all, and some examples. */
export function SavedQueriesPanel({ saved }: SavedProps) {
  return (
    <Panel title="Saved queries" span={4}>
      <AnswerView answer={saved} what="the saved queries" lines={6}>
        {({ own, shared }) => (
          <>
            <h3>Yours</h3>
            {own.length === 0 && <p class="muted">None yet: write one, and press Save.</p>}
            <QueryList
              queries={own.map((one) => ({ ...one, note: null, mayDelete: true }))}
              scope="own"
              onDelete={saved.reload}
            />
            {shared.length > 0 && <h3>For all</h3>}
            <QueryList
              queries={shared.map((one) => ({ ...one, note: `by ${one.by}` }))}
              scope="shared"
              onDelete={saved.reload}
            />
          </>
        )}
      </AnswerView>
      <h3>Examples</h3>
      <QueryList queries={EXAMPLES.map(([name, query]) => ({ name, query, note: null, mayDelete: false }))} />
    </Panel>
  );
}

interface QueryListProps {
  readonly queries: readonly {
    readonly name: string;
    readonly query: string;
    readonly note: string | null;
    readonly mayDelete: boolean;
  }[];
  readonly scope?: Scope;
  readonly onDelete?: () => void;
}

function QueryList({ queries, scope = 'own', onDelete }: QueryListProps) {
  if (queries.length === 0) return null;
  return (
    <ul class="query-list">
      {queries.map(({ name, query, note, mayDelete }) => (
        <li key={name}>
          <div>
            <Link to={`/query?query=${encodeURIComponent(query)}`} title={query}>
              {name}
            </Link>
            {note !== null && <span class="muted"> {note}</span>}
          </div>
          {mayDelete && (
            <ConfirmButton
              label="Delete"
              spoken={`Delete ${name}`}
              question={`Delete the query ${name}?`}
              done={`The query ${name} is deleted.`}
              tone="danger"
              isSmall
              perform={async () => {
                await callApi(addressOf(scope, name), { method: 'DELETE' });
                onDelete?.();
              }}
            >
              {scope === 'own' ? 'Only you see it.' : 'All who may query see it, and will miss it.'}
            </ConfirmButton>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Asks for a name, and saves the query under it. */
export function SaveQueryButton({ pql, saved }: SavedProps & { readonly pql: string }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const scope: Scope = isShared ? 'shared' : 'own';
  const action = useAction(async () => {
    await callApi(addressOf(scope, name.trim()), { method: 'PUT', body: { query: pql } });
    saved.reload();
    setOpen(false);
    announce(`The query ${name.trim()} is saved.`);
  });
  const isKnown = saved.data?.[scope].some((one) => one.name === name.trim()) === true;
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={pql === ''}
        onClick={() => {
          if (pql === '') return;
          action.clear();
          setOpen(true);
        }}
      >
        Save
      </button>
      {isOpen && (
        <ActionDialog
          title="Save the query"
          action={action}
          label="Save"
          isIncomplete={name.trim() === ''}
          onClose={() => setOpen(false)}
        >
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            hint={isKnown ? 'It replaces the query that has this name.' : 'At most 80 characters'}
            isRequired
          />
          {saved.data?.mayShare === true && (
            <CheckField label="For all who may query" isChecked={isShared} onChange={setShared} />
          )}
        </ActionDialog>
      )}
    </>
  );
}

function addressOf(scope: Scope, name: string): `${typeof SAVED_QUERIES}/${Scope}/${string}` {
  return `${SAVED_QUERIES}/${scope}/${encodeURIComponent(name)}`;
}
