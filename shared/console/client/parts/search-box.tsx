import { useEffect, useRef, useState } from 'preact/hooks';
import { useParameters } from '../routing/location.ts';
import { TextField } from './fields.tsx';

interface SearchBoxProps {
  readonly label: string;
  /** The parameter of the address that holds the text. */
  readonly name: string;
  readonly placeholder?: string;
  readonly isMonospaced?: boolean;
}

/** Pause after the last key before the text goes into the address. */
const PAUSE_MS = 300;

/** A text to search for, kept in the address. */
export function SearchBox({ label, name, placeholder, isMonospaced = false }: SearchBoxProps) {
  const [query, setParameters] = useParameters();
  const kept = query.get(name) ?? '';
  const [text, setText] = useState(kept);
  const sent = useRef(kept);
  useEffect(() => {
    // A text that came back from here may be older than the typed one.
    if (kept === sent.current) return;
    sent.current = kept;
    setText(kept);
  }, [kept]);
  useEffect(() => {
    if (text === kept) return;
    const timer = window.setTimeout(() => {
      sent.current = text;
      setParameters({ [name]: text }, { replace: true });
    }, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, kept, name, setParameters]);
  return (
    <div class="field-grow">
      <TextField
        label={label}
        type="search"
        value={text}
        onChange={setText}
        isMonospaced={isMonospaced}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
    </div>
  );
}

interface ChoiceBoxProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [string, string])[];
}

/** One of several values, kept in the address. */
export function ChoiceBox({ label, name, options }: ChoiceBoxProps) {
  const [query, setParameters] = useParameters();
  return (
    <div class="field">
      <label for={`choice-${name}`}>{label}</label>
      <select
        id={`choice-${name}`}
        class="input"
        value={query.get(name) ?? ''}
        onChange={(event) => setParameters({ [name]: event.currentTarget.value })}
      >
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
