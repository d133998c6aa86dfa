import { useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import type { CodeSourceRow } from '../../data/code-shapes.ts';
import { addSourceCommand, sourceCommand } from '../../data/commands/cli-commands.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { TextField } from '../../parts/fields.tsx';
import { FactList, Panel } from '../../parts/panel.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { HeldCode } from './deployed-tab.tsx';

const SOURCES = '/understudy/v1/code-sources';
/** Interval between reads of the list: the end of a synchronisation has no event. */
const EVERY_MS = 5_000;

/** The git repositories whose branches are environments. */
export function SourcesTab() {
  const answer = useAnswer(SOURCES, { events: ['deploy'], every: EVERY_MS });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div class="filters">
        <button type="button" class="button button-primary" onClick={() => setAdding(true)}>
          Add a source
        </button>
      </div>
      <AnswerView answer={answer} what="the sources" lines={8}>
        {({ sources, canSync }) =>
          sources.length === 0 ? (
            <EmptyState title="Code comes from no git repository.">
              Add one, and each of its branches becomes an environment, with the modules of its Puppetfile.
            </EmptyState>
          ) : (
            <div class="form">
              {!canSync && (
                <p class="notice notice-wait">
                  This server fetches no sources: <code>understudy code sources sync</code> does.
                </p>
              )}
              {sources.map((source) => (
                <SourcePanel key={source.name} source={source} canSync={canSync} onDone={answer.reload} />
              ))}
            </div>
          )
        }
      </AnswerView>
      {isAdding && <AddDialog onClose={() => setAdding(false)} onDone={answer.reload} />}
    </>
  );
}

interface SourceProps {
  readonly source: CodeSourceRow;
  readonly canSync: boolean;
  readonly onDone: () => void;
}

function SourcePanel({ source, canSync, onDone }: SourceProps) {
  const { name, url, prefix, hasKey, webhook, environments, lastSync } = source;
  return (
    <Panel title={name} actions={<SourceActions source={source} canSync={canSync} onDone={onDone} />}>
      <div class="panel-part">
        <FactList
          entries={[
            ['Repository', <PathText key="url" text={url} />],
            ['Environments begin with', prefix === null ? 'nothing' : <code key="prefix">{`${prefix}_`}</code>],
            ['Key for ssh', hasKey ? 'a file of the server' : 'none'],
            ['Webhook', webhook === null ? 'none: it needs a secret' : <Webhook key="webhook" path={webhook} />],
            ['Last synchronised', <LastSync key="sync" lastSync={lastSync} />],
          ]}
        />
        {lastSync !== null && lastSync.troubles.length > 0 && (
          <ul class="notice notice-wait reasons">
            {lastSync.troubles.map((trouble) => (
              <li key={trouble}>{trouble}</li>
            ))}
          </ul>
        )}
      </div>
      {environments.length === 0 ? (
        <EmptyState title="It has put no environment in force.">
          Synchronise it, and each branch becomes one.
        </EmptyState>
      ) : (
        <DataTable
          label={`Environments of ${name}`}
          columns={COLUMNS}
          rows={environments}
          keyOf={({ environment }) => environment}
        />
      )}
    </Panel>
  );
}

const COLUMNS: readonly TableColumn<CodeSourceRow['environments'][number]>[] = [
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'branch', title: 'Branch', isWide: true, show: ({ branch }) => <PathText text={branch} /> },
  { id: 'commit', title: 'Commit', show: ({ commit }) => <ShortId id={commit} what="the commit" /> },
  {
    id: 'held',
    title: 'Rolled back',
    isWide: true,
    show: ({ rolledBack }) => (rolledBack === null ? '' : <HeldCode {...rolledBack} />),
  },
];

/** The address that the git server calls: that of the front door of this host. */
function Webhook({ path }: { readonly path: string }) {
  return <PathText text={`https://${window.location.hostname}:8140${path}`} />;
}

function LastSync({ lastSync }: Pick<CodeSourceRow, 'lastSync'>) {
  if (lastSync === null) return <span class="muted">not yet</span>;
  return (
    <span class="lead-row">
      <RelativeTime at={lastSync.at} />
      {lastSync.isRunning && <StateBadge state="running" />}
    </span>
  );
}

function SourceActions({ source: { name, environments }, canSync, onDone }: SourceProps) {
  const path = `${SOURCES}/${encodeURIComponent(name)}`;
  return (
    <div class="actions">
      {canSync && (
        <ConfirmButton
          label="Synchronise"
          spoken={`Synchronise ${name}`}
          question={`Synchronise ${name}?`}
          done={`${name} is being fetched.`}
          command={sourceCommand(name, 'sync')}
          perform={async () => {
            await callApi(`${path}/sync`, { method: 'POST', body: {} });
            onDone();
          }}
          isSmall
        >
          Its branches are fetched and deployed. Environments whose branches are gone are removed.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Remove"
        spoken={`Remove ${name}`}
        question={`Remove the source ${name}?`}
        done={`The source ${name} is removed.`}
        command={sourceCommand(name, 'remove')}
        tone="danger"
        perform={async () => {
          await callApi(path, { method: 'DELETE' });
          onDone();
        }}
        isSmall
      >
        {environments.length === 0
          ? 'The repository is forgotten.'
          : `Its ${environments.length} environments stay in force as they are, and follow no branch any more.`}
      </ConfirmButton>
    </div>
  );
}

function AddDialog({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [prefix, setPrefix] = useState('');
  const add = useAction(async () => {
    const body = { url, prefix: prefix === '' ? null : prefix };
    await callApi(`${SOURCES}/${encodeURIComponent(name)}`, { method: 'PUT', body });
    announce(`The source ${name} is added. Synchronise it to deploy its branches.`);
    onClose();
    onDone();
  });
  return (
    <ActionDialog
      title="Add a source"
      action={add}
      label="Add"
      isIncomplete={name === '' || url === ''}
      command={name === '' || url === '' ? null : addSourceCommand(name, url, prefix)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} hint="Small letters, digits, - and _" isRequired />
      <TextField
        label="Repository"
        value={url}
        onChange={setUrl}
        placeholder="https://git.example.com/control-repo.git"
        hint="https://, ssh:// or user@host:path"
        isMonospaced
        isRequired
      />
      <TextField label="Environments begin with" value={prefix} onChange={setPrefix} hint="Empty for nothing" />
      <p class="muted">
        A key for ssh and the secret of a webhook are files of the server: <code>understudy code sources add</code>{' '}
        names them. A source of the same name is changed, and keeps them.
      </p>
    </ActionDialog>
  );
}
