import { useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import { ApiFault } from '../../data/api-fault.ts';
import { checkClasses, useClassFaults } from '../../data/class-check.ts';
import { readClasses } from '../../data/class-values.ts';
import { deleteGroupCommand, saveGroupCommand } from '../../data/commands/cli-commands.ts';
import { draftOf, type GroupDraft, listGroupChanges, readGroupDraft, writeGroupEdit } from '../../data/group-draft.ts';
import { type GroupSummary, TOP_GROUP } from '../../data/group-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../parts/fields.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../parts/toasts.tsx';
import { Link } from '../../routing/link.tsx';
import { navigate } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { ClassEditor } from './class-editor.tsx';
import { GroupRightsButton } from './group-rights.tsx';
import { MatchingNodes } from './matching-nodes.tsx';
import { RuleEditor } from './rule-editor.tsx';
import { VariableEditor } from './variable-editor.tsx';

interface GroupEditorProps {
  /** Null for a new group. */
  readonly group: GroupSummary | null;
  readonly groups: readonly GroupSummary[];
  readonly parent: string;
  readonly onChanged: () => void;
}

const BASE = '/classifier-api/v1/groups';
/** Name of a new group in previews. */
const UNNAMED = 'New group';

/** The form of a group. What another user changes meanwhile is shown, and nothing typed is lost. */
export function GroupEditor({ group, groups, parent, onChanged }: GroupEditorProps) {
  const [base, setBase] = useState(group);
  const [draft, setDraft] = useState<GroupDraft>(() => draftOf(group, parent));
  const [theirs, setTheirs] = useState<GroupSummary | null>(null);
  const change = (changes: Partial<GroupDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const read = readGroupDraft(draft);
  const classes = readClasses(draft.classes);
  const faults = useClassFaults(draft.environment, classes);
  const mayEdit = usePermission('node_groups', 'edit_classification');
  const save = useAction(async () => {
    const [wrong] = await checkClasses(draft.environment, classes ?? {});
    if (wrong !== undefined) throw new ApiFault('refused', `${wrong.class}: ${wrong.message}`);
    try {
      const saved = await saveGroup(base, read.body);
      setBase(saved);
      setTheirs(null);
      announce(`The group ${saved.name} is saved.`);
      onChanged();
      if (base === null) navigate(pathOf('groups', saved.id), { replace: true });
    } catch (error) {
      if (base === null || !(error instanceof ApiFault) || error.kind !== 'conflict') throw error;
      setTheirs((await callApi(`${BASE}/${base.id}`)).data as GroupSummary);
    }
  });
  // An empty form is not wrong yet: beside its button it says what is missing.
  const nameFault = base === null && draft.name === '' ? null : (read.faults.name ?? null);
  const isRoot = base?.id === TOP_GROUP;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        save.run(undefined);
      }}
    >
      {theirs !== null && base !== null && (
        <Conflict
          changes={listGroupChanges(base, theirs)}
          onKeep={() => {
            setBase(theirs);
            setTheirs(null);
          }}
          onTake={() => {
            setBase(theirs);
            setDraft(draftOf(theirs, parent));
            setTheirs(null);
            onChanged();
          }}
        />
      )}
      <Panel
        title={base === null ? 'New group' : base.name}
        actions={base !== null && !isRoot && <GroupActions group={base} onChanged={onChanged} />}
      >
        <GeneralFields draft={draft} groups={groups} own={base?.id ?? null} nameFault={nameFault} change={change} />
      </Panel>
      {!isRoot && (
        <Panel title="Rule" actions={<span class="muted">{draft.ruleText === null ? '' : 'as JSON'}</span>}>
          <RuleEditor draft={draft} fault={read.faults.rule ?? null} change={change} />
        </Panel>
      )}
      <Panel title="What its nodes get">
        <div class="form">
          <ClassEditor
            environment={draft.environment}
            text={draft.classes}
            onChange={(classes) => change({ classes })}
            fault={read.faults.classes ?? null}
            faults={faults}
          />
          <VariableEditor
            text={draft.variables}
            onChange={(variables) => change({ variables })}
            fault={read.faults.variables ?? null}
          />
          <TextArea
            label="Configuration data"
            value={draft.data}
            onChange={(data) => change({ data })}
            fault={read.faults.data ?? null}
            hint='As JSON: {"ntp": {"servers": ["a"]}}; Hiera reads it as ntp::servers'
            rows={4}
          />
        </div>
      </Panel>
      {!isRoot && (
        <MatchingNodes
          body={base === null ? { ...read.body, name: read.body.name || UNNAMED } : { ...read.body, id: base.id }}
          hasFaults={'rule' in read.faults}
        />
      )}
      {save.fault !== null && (
        <p class="notice notice-bad" role="alert">
          {save.fault.message}
        </p>
      )}
      {mayEdit && (
        <div class="actions">
          <button
            type="submit"
            class="button button-primary"
            disabled={theirs !== null || Object.keys(read.faults).length > 0 || faults.length > 0}
            aria-disabled={save.isRunning}
          >
            {base === null ? 'Create' : 'Save'}
          </button>
          <button type="button" class="button" onClick={() => setDraft(draftOf(base, parent))}>
            Undo changes
          </button>
          <span class="muted form-note" role="status">
            {Object.values(read.faults)[0] ?? (faults.length > 0 ? 'A value does not have its type.' : '')}
          </span>
        </div>
      )}
      {mayEdit && Object.keys(read.faults).length === 0 && <CommandLine words={saveGroupCommand(base, read.body)} />}
    </form>
  );
}

async function saveGroup(base: GroupSummary | null, body: Readonly<Record<string, unknown>>): Promise<GroupSummary> {
  // Creating answers with the address of the group, which the browser follows.
  if (base === null) return (await callApi(BASE, { method: 'POST', body })).data as GroupSummary;
  const serial = base.serial_number === undefined ? {} : { serial_number: base.serial_number };
  const edit = { ...writeGroupEdit(base, body), ...serial };
  return (await callApi(`${BASE}/${base.id}`, { method: 'POST', body: edit })).data as GroupSummary;
}

interface ConflictProps {
  readonly changes: readonly string[];
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

function Conflict({ changes, onKeep, onTake }: ConflictProps) {
  return (
    <div class="notice notice-wait" role="alert">
      <div>
        <strong>
          Somebody else changed this group: {changes.length === 0 ? 'nothing that shows here' : changes.join(', ')}.
        </strong>{' '}
        What you typed is still below.
      </div>
      <div class="actions">
        <button type="button" class="button" onClick={onTake}>
          Show theirs
        </button>
        <button type="button" class="button button-primary" onClick={onKeep}>
          Keep mine and save over it
        </button>
      </div>
    </div>
  );
}

function GroupActions({ group, onChanged }: { readonly group: GroupSummary; readonly onChanged: () => void }) {
  const [mayDelete, mayRun] = [usePermission('node_groups', 'modify_children'), usePermission('puppet_agent', 'run')];
  return (
    <>
      {mayRun && (
        <Link to={`/jobs/new?target=group&group=${encodeURIComponent(group.id)}`} class="button button-small">
          Run Puppet
        </Link>
      )}
      <GroupRightsButton group={group} />
      {mayDelete && (
        <ConfirmButton
          label="Delete"
          question={`Delete the group ${group.name}?`}
          done={`The group ${group.name} is deleted.`}
          command={deleteGroupCommand(group.name)}
          tone="danger"
          perform={async () => {
            await callApi(`${BASE}/${group.id}`, { method: 'DELETE' });
            onChanged();
            navigate('/groups');
          }}
          isSmall
        >
          Its nodes no longer get its classes, variables and data. A group that has groups below it cannot be deleted.
        </ConfirmButton>
      )}
    </>
  );
}

interface GeneralFieldsProps {
  readonly draft: GroupDraft;
  readonly groups: readonly GroupSummary[];
  readonly own: string | null;
  readonly nameFault: string | null;
  readonly change: (changes: Partial<GroupDraft>) => void;
}

function GeneralFields({ draft, groups, own, nameFault, change }: GeneralFieldsProps) {
  const parents = groups.filter(({ id }) => id !== own).map(({ id, name }) => [id, name] as const);
  return (
    <div class="form">
      <div class="form-row">
        <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} fault={nameFault} isRequired />
        {own !== TOP_GROUP && (
          <SelectField label="Below" value={draft.parent} onChange={(parent) => change({ parent })} options={parents} />
        )}
        <TextField label="Environment" value={draft.environment} onChange={(environment) => change({ environment })} />
        <CheckField label="It trumps other groups" isChecked={draft.trumps} onChange={(trumps) => change({ trumps })} />
      </div>
      <TextField label="Description" value={draft.description} onChange={(description) => change({ description })} />
    </div>
  );
}
