import { useState } from 'preact/hooks';
import type { ValueFault } from '../../data/class-check.ts';
import {
  type ClassesOfGroup,
  type ClassParameter,
  presetOf,
  readClasses,
  withoutMember,
  writeObject,
} from '../../data/class-values.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { SelectField, TextArea } from '../../parts/fields.tsx';
import { SuggestField } from '../../parts/suggest-field.tsx';
import { useDelayed } from '../../parts/use-delayed.ts';
import { FormOrJson } from './form-or-json.tsx';
import { TypedField } from './typed-field.tsx';

interface ClassEditorProps {
  readonly environment: string;
  /** The classes as JSON. */
  readonly text: string;
  /** Fault of the JSON. */
  readonly fault: string | null;
  readonly faults: readonly ValueFault[];
  readonly onChange: (text: string) => void;
}

/** The classes of a group with their parameters, as fields or as JSON. */
export function ClassEditor({ environment, text, fault, faults, onChange }: ClassEditorProps) {
  const classes = readClasses(text);
  const set = (changed: ClassesOfGroup) => onChange(writeObject(changed));
  return (
    <FormOrJson
      label="Classes"
      form={
        classes && (
          <>
            {Object.entries(classes).map(([name, values]) => (
              <ClassFields
                key={`${environment} ${name}`}
                environment={environment}
                name={name}
                values={values}
                faults={faults.filter((one) => one.class === name)}
                onChange={(changed) => set({ ...classes, [name]: changed })}
                onRemove={() => set(withoutMember(classes, name))}
              />
            ))}
            <NewClass environment={environment} onAdd={(name) => set({ [name]: {}, ...classes })} />
          </>
        )
      }
      json={
        <TextArea
          label="Classes as JSON"
          value={text}
          onChange={onChange}
          fault={fault ?? faults[0]?.message ?? null}
          hint='{"ntp": {"servers": ["a"]}}'
          rows={8}
        />
      }
    />
  );
}

/** Pause after the last key before classes are looked for. */
const PAUSE_MS = 200;

function NewClass({ environment, onAdd }: { readonly environment: string; readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const wanted = new URLSearchParams({ environment: useDelayed(environment, PAUSE_MS) });
  wanted.set('search', useDelayed(name, PAUSE_MS));
  const found = useAnswer(environment === '' ? null : `/understudy/v1/groups/classes?${wanted}`);
  const add = () => {
    if (name.trim() === '') return;
    onAdd(name.trim());
    setName('');
  };
  const more = (found.data?.total ?? 0) - (found.data?.classes.length ?? 0);
  return (
    <div class="add-row">
      <SuggestField
        label="Class"
        value={name}
        onChange={setName}
        suggestions={(found.data?.classes ?? []).map((one) => [one, ''] as const)}
        onEnter={add}
        placeholder="A part of its name"
        hint={more > 0 ? `${more.toLocaleString('en')} more match` : undefined}
      />
      <button type="button" class="button" disabled={name.trim() === ''} onClick={add}>
        Add the class
      </button>
    </div>
  );
}

type Values = ClassesOfGroup[string];

interface ClassFieldsProps {
  readonly environment: string;
  readonly name: string;
  readonly values: Values;
  readonly faults: readonly ValueFault[];
  readonly onChange: (values: Values) => void;
  readonly onRemove: () => void;
}

function ClassFields({ environment, name, values, faults, onChange, onRemove }: ClassFieldsProps) {
  const address = `/understudy/v1/groups/classes/${encodeURIComponent(name)}` as const;
  const answer = useAnswer(`${address}?environment=${encodeURIComponent(environment)}`);
  const known = answer.data?.parameters ?? [];
  const unset = known.filter((one) => !(one.name in values));
  const missing = unset.filter(({ isRequired }) => isRequired);
  const add = (wanted: string) => {
    const parameter = known.find((one) => one.name === wanted);
    if (parameter !== undefined) onChange({ ...values, [wanted]: presetOf(parameter) });
  };
  return (
    <fieldset class="fieldset form">
      <legend class="mono">{name}</legend>
      {answer.data !== null && answer.data.description !== '' && <p class="muted">{answer.data.description}</p>}
      {answer.fault?.kind === 'not-found' && (
        <p class="notice notice-wait">The code of {environment} does not have this class.</p>
      )}
      <div class="field-grid">
        {Object.entries(values).map(([parameter, value]) => (
          <ParameterField
            key={`${parameter} ${answer.data === null}`}
            name={parameter}
            parameter={known.find((one) => one.name === parameter) ?? null}
            value={value}
            fault={faults.find((one) => one.parameter === parameter)?.message ?? null}
            onChange={(changed) => onChange({ ...values, [parameter]: changed })}
            onRemove={() => onChange(withoutMember(values, parameter))}
          />
        ))}
      </div>
      {missing.length > 0 && (
        <p class="muted">Without a default, unless Hiera has a value: {missing.map((one) => one.name).join(', ')}</p>
      )}
      <div class="add-row">
        {unset.length > 0 && (
          <SelectField
            label={`Parameter of ${name}`}
            value=""
            onChange={add}
            options={[['', 'Set a parameter'], ...unset.map((one) => [one.name, `${one.name}: ${one.type}`] as const)]}
          />
        )}
        <button type="button" class="button" onClick={onRemove} aria-label={`Remove the class ${name}`}>
          Remove the class
        </button>
      </div>
    </fieldset>
  );
}

interface ParameterFieldProps {
  readonly name: string;
  /** Null: the code does not have it, or it is not known yet. */
  readonly parameter: ClassParameter | null;
  readonly value: unknown;
  readonly fault: string | null;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: () => void;
}

function ParameterField({ name, parameter, value, fault, onChange, onRemove }: ParameterFieldProps) {
  const preset = parameter?.default == null ? '' : `. Default: ${parameter.default}`;
  const text = parameter?.description ? `: ${parameter.description}` : '';
  return (
    <div class="typed">
      <TypedField
        label={name}
        control={parameter?.control ?? 'json'}
        choices={parameter?.choices ?? []}
        isOptional={parameter?.isOptional ?? false}
        value={value}
        hint={parameter === null ? 'JSON' : `${parameter.type}${text}${preset}`}
        fault={fault}
        onChange={onChange}
      />
      <button type="button" class="button button-small" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </button>
    </div>
  );
}
