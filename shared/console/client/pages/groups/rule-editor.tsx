import { addressOfPaths, addressOfValues, countValues, KNOWN_PATHS, readPaths } from '../../data/fact-choices.ts';
import type { GroupDraft } from '../../data/group-draft.ts';
import { readNames } from '../../data/job-draft.ts';
import { RULE_OPERATORS, type RuleCondition, type RuleForm } from '../../data/rule-form.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { CheckField, SelectField, TextArea } from '../../parts/fields.tsx';
import { SuggestField } from '../../parts/suggest-field.tsx';
import { useDelayed } from '../../parts/use-delayed.ts';

interface RuleEditorProps {
  readonly draft: GroupDraft;
  readonly fault: string | null;
  readonly change: (changes: Partial<GroupDraft>) => void;
}

const NEW_CONDITION: RuleCondition = { path: 'fact.', operator: '=', value: '', isNot: false };

/** Rows of conditions and the pinned nodes; JSON for a rule that rows cannot show. */
export function RuleEditor({ draft, fault, change }: RuleEditorProps) {
  if (draft.ruleText !== null) {
    return (
      <TextArea
        label="Rule"
        value={draft.ruleText}
        onChange={(ruleText) => change({ ruleText })}
        fault={fault}
        hint="This rule is nested more deeply than the form shows."
        rows={10}
      />
    );
  }
  const { rule } = draft;
  const setRule = (changes: Partial<RuleForm>) => change({ rule: { ...rule, ...changes } });
  const setCondition = (index: number, changes: Partial<RuleCondition>) =>
    setRule({ conditions: rule.conditions.map((one, at) => (at === index ? { ...one, ...changes } : one)) });
  return (
    <div class="form">
      <SelectField
        label="A node matches"
        value={rule.match}
        onChange={(match) => setRule({ match: match === 'or' ? 'or' : 'and' })}
        options={[
          ['and', 'when all conditions hold'],
          ['or', 'when any condition holds'],
        ]}
      />
      {rule.conditions.map((condition, index) => (
        <ConditionRow
          key={index}
          number={index + 1}
          condition={condition}
          onChange={(changes) => setCondition(index, changes)}
          onRemove={() => setRule({ conditions: rule.conditions.filter((_, at) => at !== index) })}
        />
      ))}
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => setRule({ conditions: [...rule.conditions, NEW_CONDITION] })}
        >
          Add a condition
        </button>
      </div>
      <TextArea
        label="Pinned nodes"
        value={rule.pins.join('\n')}
        onChange={(text) => setRule({ pins: text.endsWith('\n') ? [...readNames(text), ''] : readNames(text) })}
        hint="One a line; they match whatever the conditions say"
        rows={3}
      />
    </div>
  );
}

/** Pause after the last key before facts are looked for. */
const PAUSE_MS = 250;

interface ConditionRowProps {
  readonly number: number;
  readonly condition: RuleCondition;
  readonly onChange: (changes: Partial<RuleCondition>) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ number, condition, onChange, onRemove }: ConditionRowProps) {
  const path = useDelayed(condition.path, PAUSE_MS);
  const mayQuery = usePermission('nodes', 'view_data');
  const names = useAnswer<Parameters<typeof readPaths>[0]>(mayQuery ? addressOfPaths(path) : null);
  const rows = useAnswer<Parameters<typeof countValues>[0]>(mayQuery ? addressOfValues(path) : null);
  const paths = [...new Set([...readPaths(names.data ?? []), ...KNOWN_PATHS])];
  const [values, read] = [countValues(rows.data ?? []), rows.data?.length ?? 0];
  return (
    <fieldset class="condition">
      <legend class="visually-hidden">Condition {number}</legend>
      <SuggestField
        label="Fact"
        value={condition.path}
        onChange={(path) => onChange({ path })}
        suggestions={paths.map((path) => [path, ''] as const)}
        placeholder="fact.os.family"
      />
      <SelectField
        label="Is"
        value={condition.operator}
        onChange={(value) => onChange({ operator: RULE_OPERATORS.find((one) => one === value) ?? '=' })}
        options={RULE_OPERATORS.map((operator) => [operator, operator] as const)}
      />
      <SuggestField
        label="Value"
        value={condition.value}
        onChange={(value) => onChange({ value })}
        suggestions={values.map(([value, nodes]) => [value, `${nodes} of ${read} nodes`] as const)}
      />
      <CheckField label="Not" isChecked={condition.isNot} onChange={(isNot) => onChange({ isNot })} />
      <button type="button" class="button" aria-label={`Remove condition ${number}`} onClick={onRemove}>
        Remove
      </button>
    </fieldset>
  );
}
