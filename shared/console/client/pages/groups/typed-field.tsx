import { useEffect, useRef, useState } from 'preact/hooks';
import { type ClassParameter, printTyped, readTyped } from '../../data/class-values.ts';
import { SelectField, TextArea, TextField } from '../../parts/fields.tsx';

interface TypedFieldProps {
  readonly label: string;
  readonly control: ClassParameter['control'];
  readonly choices?: ClassParameter['choices'];
  /** Whether `undef` is one of the choices. */
  readonly isOptional?: boolean;
  readonly value: unknown;
  readonly hint?: string;
  readonly fault?: string | null;
  readonly onChange: (value: unknown) => void;
}

/** The control for a value: a list for a choice, else a text that is read as the control says. */
export function TypedField({ control, value, onChange, fault = null, ...field }: TypedFieldProps) {
  const { choices = [], isOptional = false, label, hint } = field;
  const [text, setText] = useState(() => printTyped(value, control));
  const sent = useRef(value);
  useEffect(() => {
    // A value that came back from here may be written in another way than it is typed.
    if (JSON.stringify(value) === JSON.stringify(sent.current)) return;
    sent.current = value;
    setText(printTyped(value, control));
  }, [value, control]);
  const type = (typed: string) => {
    setText(typed);
    sent.current = readTyped(typed, control);
    onChange(sent.current);
  };
  const shown = { label, ...(hint === undefined ? {} : { hint }) };
  if (control === 'choice') {
    const known: readonly unknown[] = [...choices, ...(isOptional ? [null] : [])];
    const all = known.some((one) => one === value) ? known : [value, ...known];
    return (
      <>
        <SelectField
          {...shown}
          value={JSON.stringify(value)}
          onChange={(chosen) => onChange(JSON.parse(chosen))}
          options={all.map((one) => [JSON.stringify(one), one === null ? 'undef' : printTyped(one, 'text')] as const)}
        />
        {fault !== null && (
          <div class="field-fault" role="alert">
            {fault}
          </div>
        )}
      </>
    );
  }
  const common = { ...shown, value: text, fault, onChange: type };
  if (control === 'json' && (text.length > 40 || text.includes('\n'))) return <TextArea {...common} rows={3} />;
  return <TextField {...common} isMonospaced />;
}
