import type { AnswerOf, ApiSchema } from '../../../../api/described-answers.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';

type PolicyList = AnswerOf<'listPolicies'>;
type PolicySettings = Readonly<Record<string, ApiSchema<'Policy'>[keyof ApiSchema<'Policy'>]>>;

interface PolicyRow {
  /** Null: the policy of all environments. */
  readonly environment: string | null;
  readonly settings: PolicySettings;
}

const OF_ENVIRONMENT = 'environments/';
const STRICTNESS = ['language', 'strict', 'strict_variables'];
const DEPLOYS = [
  'deploy_check',
  'stage_canaries',
  'stage_minutes',
  'stage_when_good',
  'stage_when_worse',
  'stage_when_late',
];
const RUNS = ['notify', 'notify_rate', 'notify_window', 'canary'];
const ELSEWHERE = [...STRICTNESS, ...DEPLOYS, ...RUNS];

/** Policies of environments; they are changed by the API and the command line. */
export function PoliciesPanel() {
  const mayRead = usePermission('configuration', 'view');
  const answer = useAnswer(mayRead ? '/understudy/v1/policies' : null, { every: 30_000 });
  if (!mayRead) return null;
  return (
    <Panel title="Policies">
      <AnswerView answer={answer} what="the policies" lines={3}>
        {(policies) => {
          const rows = listPolicies(policies);
          return rows.length === 0 ? (
            <EmptyState title="No environment has a policy.">
              <code>understudy policy set --environment production --freshness stale</code> sets one.
            </EmptyState>
          ) : (
            <DataTable
              label="Policies of environments"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ environment }) => environment ?? ''}
            />
          );
        }}
      </AnswerView>
    </Panel>
  );
}

/** That of all environments first. */
function listPolicies(policies: PolicyList): readonly PolicyRow[] {
  return Object.entries(policies)
    .flatMap(([key, settings]): readonly PolicyRow[] => {
      if (key === 'default') return [{ environment: null, settings }];
      return key.startsWith(OF_ENVIRONMENT) ? [{ environment: key.slice(OF_ENVIRONMENT.length), settings }] : [];
    })
    .toSorted((one, other) => ((one.environment ?? '') < (other.environment ?? '') ? -1 : 1));
}

const COLUMNS: readonly TableColumn<PolicyRow>[] = [
  { id: 'of', title: 'Environment', show: ({ environment }) => environment ?? 'all environments' },
  {
    id: 'strictness',
    title: 'Language and strictness',
    show: ({ settings }) => <Settings settings={settings} names={STRICTNESS} />,
  },
  {
    id: 'freshness',
    title: 'Catalogs and freshness',
    isWide: true,
    show: ({ settings }) => (
      <Settings settings={settings} names={Object.keys(settings).filter((name) => !ELSEWHERE.includes(name))} />
    ),
  },
  { id: 'deploys', title: 'Deploys', show: ({ settings }) => <Settings settings={settings} names={DEPLOYS} /> },
  { id: 'runs', title: 'Runs', show: ({ settings }) => <Settings settings={settings} names={RUNS} /> },
];

interface SettingsProps {
  readonly settings: PolicySettings;
  readonly names: readonly string[];
}

function Settings({ settings, names }: SettingsProps) {
  const set = names.filter((name) => settings[name] !== undefined);
  if (set.length === 0) return <span class="muted">not set</span>;
  return (
    <ul class="readers">
      {set.map((name) => (
        <li key={name}>
          <code>
            {name}={printSetting(settings[name])}
          </code>
        </li>
      ))}
    </ul>
  );
}

function printSetting(value: PolicySettings[string]): string {
  return Array.isArray(value) ? value.join('-') : String(value);
}
