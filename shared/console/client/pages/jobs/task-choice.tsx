import type { JobForm } from '../../data/job-draft.ts';
import type { ShownPlan, ShownTask, TaskList } from '../../data/job-shapes.ts';
import type { TaskField } from '../../data/task-fields.ts';
import { type AnswerState, useAnswer } from '../../data/use-answer.ts';
import { ErrorState, Skeleton } from '../../parts/answer-view.tsx';
import { SelectField, TextArea, TextField } from '../../parts/fields.tsx';

interface TaskChoiceProps {
  readonly form: JobForm;
  readonly task: AnswerState<ShownTask>;
  readonly fields: readonly TaskField[];
  readonly typed: Readonly<Record<string, string>>;
  readonly faults: Readonly<Record<string, string>>;
  readonly onChoose: (name: string) => void;
  readonly onType: (name: string, value: string) => void;
}

/** The tasks that the user may run, and a control for each parameter of the chosen one. */
export function TaskChoice({ form, task, onChoose, ...fields }: TaskChoiceProps) {
  const tasks = useAnswer<TaskList>(`/orchestrator/v1/tasks?environment=${encodeURIComponent(form.environment)}`);
  const offered = (tasks.data?.items ?? []).filter(({ permitted }) => permitted).map(({ name }) => name);
  return (
    <>
      <ErrorState answer={tasks} what="the tasks" />
      <SelectField
        label="Task"
        value={form.task}
        onChange={onChoose}
        options={[['', 'Choose a task'], ...offered.toSorted().map((name) => [name, name] as const)]}
        hint={task.data?.metadata.description ?? ''}
      />
      {form.task !== '' && <ErrorState answer={task} what="the task" />}
      {form.task !== '' && task.data === null && task.fault === null && <Skeleton lines={7} what="the parameters" />}
      <ParameterFields chosen={form.task} {...fields} />
    </>
  );
}

interface PlanChoiceProps extends Omit<TaskChoiceProps, 'task'> {
  readonly plan: AnswerState<ShownPlan>;
}

/** The plans that the user may run, and a control for each parameter of the chosen one. */
export function PlanChoice({ form, plan, onChoose, ...fields }: PlanChoiceProps) {
  const plans = useAnswer<TaskList>(`/orchestrator/v1/plans?environment=${encodeURIComponent(form.environment)}`);
  const offered = (plans.data?.items ?? []).filter(({ permitted }) => permitted).map(({ name }) => name);
  return (
    <>
      <ErrorState answer={plans} what="the plans" />
      <SelectField
        label="Plan"
        value={form.plan}
        onChange={onChoose}
        options={[['', 'Choose a plan'], ...offered.toSorted().map((name) => [name, name] as const)]}
        hint={plan.data?.metadata.description ?? ''}
      />
      {form.plan !== '' && <ErrorState answer={plan} what="the plan" />}
      {form.plan !== '' && plan.data === null && plan.fault === null && <Skeleton lines={7} what="the parameters" />}
      <ParameterFields chosen={form.plan} {...fields} />
    </>
  );
}

type ParameterFieldsProps = Pick<TaskChoiceProps, 'fields' | 'typed' | 'faults' | 'onType'> & {
  readonly chosen: string;
};

function ParameterFields({ chosen, fields, typed, faults, onType }: ParameterFieldsProps) {
  if (fields.length === 0) return null;
  return (
    <fieldset class="fieldset">
      <legend>Parameters</legend>
      <div class="field-grid">
        {fields.map((field) => (
          <ParameterField
            key={`${chosen} ${field.name}`}
            field={field}
            value={typed[field.name] ?? ''}
            fault={field.name in typed ? (faults[field.name] ?? null) : null}
            onType={(value) => onType(field.name, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface ParameterFieldProps {
  readonly field: TaskField;
  readonly value: string;
  readonly fault: string | null;
  readonly onType: (value: string) => void;
}

function ParameterField({ field, value, fault, onType }: ParameterFieldProps) {
  const label = field.isRequired ? `${field.name} (required)` : field.name;
  const preset = field.preset === '' ? '' : ` Default: ${field.preset}.`;
  const hint = `${field.type}${field.description === '' ? '' : `: ${field.description}`}${preset}`;
  const common = { label, value, hint, onChange: onType };
  switch (field.kind) {
    case 'choice':
      return <SelectField {...common} options={['', ...field.choices].map((choice) => [choice, choice] as const)} />;
    case 'boolean':
      return <SelectField {...common} options={['', 'true', 'false'].map((choice) => [choice, choice] as const)} />;
    case 'json':
      return <TextArea {...common} fault={fault} rows={2} />;
    case 'password':
      return <TextField {...common} fault={fault} type="password" autoComplete="new-password" />;
    default:
      return <TextField {...common} fault={fault} isMonospaced />;
  }
}
