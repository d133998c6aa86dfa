import type { GroupSummary } from '../../data/group-shapes.ts';
import type { JobForm } from '../../data/job-draft.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { SelectField, TextArea } from '../../parts/fields.tsx';

interface JobTargetProps {
  readonly form: JobForm;
  readonly change: (changes: Partial<JobForm>) => void;
}

/** On which nodes a job runs: by name, by query, of a group, or of an environment. */
export function JobTarget({ form, change }: JobTargetProps) {
  const mayQuery = usePermission('nodes', 'view_data');
  const maySeeGroups = usePermission('node_groups', 'view');
  const groups = useAnswer<readonly GroupSummary[]>(maySeeGroups ? '/classifier-api/v1/groups' : null);
  const targets: readonly (readonly [JobForm['target'], string, boolean])[] = [
    ['nodes', 'Nodes by name', true],
    ['query', 'Nodes that a query finds', mayQuery],
    ['group', 'Nodes of a group', maySeeGroups],
    ['environment', 'All nodes of the environment', form.command === 'deploy'],
  ];
  const offered = targets.filter(([, , isOffered]) => isOffered);
  return (
    <div class="form">
      <SelectField
        label="Target"
        value={form.target}
        onChange={(value) => change({ target: offered.find(([id]) => id === value)?.[0] ?? 'nodes' })}
        options={offered.map(([id, words]) => [id, words] as const)}
      />
      {form.target === 'nodes' && (
        <TextArea label="Certnames" value={form.nodes} onChange={(nodes) => change({ nodes })} hint="One a line" />
      )}
      {form.target === 'query' && (
        <TextArea
          label="Query (PQL)"
          value={form.query}
          onChange={(query) => change({ query })}
          hint='Such as inventory { facts.os.family = "Debian" }; rows with columns need certname'
          rows={3}
        />
      )}
      {form.target === 'group' && (
        <SelectField
          label="Group"
          value={form.group}
          onChange={(group) => change({ group })}
          options={[['', 'Choose a group'], ...(groups.data ?? []).map(({ id, name }) => [id, name] as const)]}
        />
      )}
    </div>
  );
}
