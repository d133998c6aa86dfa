import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Fault of the value. */
  readonly fault?: string | null;
  /** Gets the ids that tie the control to label, hint and fault. */
  readonly children: (ids: { readonly id: string; readonly describedBy: string | undefined }) => ComponentChildren;
}

/** A labelled control with a hint and its fault. */
export function Field({ label, hint, fault = null, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint === undefined ? '' : `${id}-hint`, fault === null ? '' : `${id}-fault`].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, describedBy: describedBy === '' ? undefined : describedBy })}
      {hint !== undefined && (
        <div id={`${id}-hint`} class="field-hint">
          {hint}
        </div>
      )}
      {fault !== null && (
        <div id={`${id}-fault`} class="field-fault" role="alert">
          {fault}
        </div>
      )}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly fault?: string | null;
  readonly type?: keyof typeof INPUTS;
  readonly autoComplete?: InputProps['autocomplete'];
  readonly isRequired?: boolean;
  readonly isMonospaced?: boolean;
  readonly placeholder?: string;
}

/** A line of text. */
export function TextField({ label, value, onChange, hint, fault = null, type = 'text', ...others }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {({ id, describedBy }) =>
        INPUTS[type]({
          id,
          class: others.isMonospaced === true ? 'input mono' : 'input',
          value,
          spellcheck: false,
          autocapitalize: 'none',
          autocomplete: others.autoComplete ?? 'off',
          required: others.isRequired === true,
          placeholder: others.placeholder,
          'aria-describedby': describedBy,
          'aria-invalid': fault !== null,
          onInput: (event) => onChange(event.currentTarget.value),
        })
      }
    </Field>
  );
}

interface InputProps {
  readonly id: string;
  readonly class: string;
  readonly value: string;
  readonly spellcheck: boolean;
  readonly autocapitalize: 'none';
  readonly autocomplete: 'off' | 'username' | 'current-password' | 'new-password';
  readonly required: boolean;
  readonly placeholder: string | undefined;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
}

/** Preact's types know which attributes go with which type of input. */
const INPUTS = {
  text: (props: InputProps) => <input type="text" {...props} />,
  password: (props: InputProps) => <input type="password" {...props} />,
  search: (props: InputProps) => <input type="search" {...props} />,
  number: (props: InputProps) => <input type="number" {...props} />,
  'datetime-local': (props: InputProps) => <input type="datetime-local" {...props} />,
};

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly fault?: string | null;
  readonly rows?: number;
}

/** Several lines of text in a fixed width. */
export function TextArea({ label, value, onChange, hint, fault, rows = 4 }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} fault={fault ?? null}>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          class="input mono"
          rows={rows}
          value={value}
          spellcheck={false}
          aria-describedby={describedBy}
          aria-invalid={fault !== null && fault !== undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values with their words. */
  readonly options: readonly (readonly [string, string])[];
  readonly hint?: ComponentChildren;
}

/** One of several values. */
export function SelectField({ label, value, onChange, options, hint }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {({ id, describedBy }) => (
        <select
          id={id}
          class="input"
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map(([key, word]) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** Yes or no. */
export function CheckField({ label, isChecked, onChange }: CheckFieldProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
