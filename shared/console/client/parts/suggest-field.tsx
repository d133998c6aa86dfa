import type { ComponentChildren } from 'preact';
import { Field } from './fields.tsx';

interface SuggestFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values that the browser offers, each with a note; others may be typed all the same. */
  readonly suggestions: readonly (readonly [string, string])[];
  /** Called with Enter, in place of sending the form. */
  readonly onEnter?: () => void;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
}

/** A line of text for which the browser offers values. */
export function SuggestField({ label, value, onChange, suggestions, onEnter, hint, placeholder }: SuggestFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {({ id, describedBy }) => (
        <>
          <input
            id={id}
            type="text"
            class="input mono"
            value={value}
            list={`${id}-list`}
            spellcheck={false}
            autocapitalize="none"
            autocomplete="off"
            placeholder={placeholder}
            aria-describedby={describedBy}
            onInput={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || onEnter === undefined) return;
              event.preventDefault();
              onEnter();
            }}
          />
          <datalist id={`${id}-list`}>
            {suggestions.map(([name, note]) => (
              <option key={name} value={name}>
                {note}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
