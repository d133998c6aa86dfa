import { useState } from 'preact/hooks';
import { readObject, withoutMember, writeObject } from '../../data/class-values.ts';
import { TextArea, TextField } from '../../parts/fields.tsx';
import { FormOrJson } from './form-or-json.tsx';
import { TypedField } from './typed-field.tsx';

interface VariableEditorProps {
  /** The variables as JSON. */
  readonly text: string;
  readonly fault: string | null;
  readonly onChange: (text: string) => void;
}

const NAME = /^[a-z_][A-Za-z0-9_]*$/;

/** The variables of a group, as fields or as JSON. */
export function VariableEditor({ text, fault, onChange }: VariableEditorProps) {
  const [name, setName] = useState('');
  const variables = readObject(text);
  const isTaken = variables !== null && name in variables;
  const isName = NAME.test(name) && !isTaken;
  const add = () => {
    onChange(writeObject({ ...variables, [name]: '' }));
    setName('');
  };
  return (
    <FormOrJson
      label="Variables"
      form={
        variables && (
          <>
            <div class="field-grid">
              {Object.entries(variables).map(([variable, value]) => (
                <div key={variable} class="typed">
                  <TypedField
                    label={variable}
                    control="json"
                    value={value}
                    hint="A text, or JSON"
                    onChange={(changed) => onChange(writeObject({ ...variables, [variable]: changed }))}
                  />
                  <button
                    type="button"
                    class="button button-small"
                    aria-label={`Remove ${variable}`}
                    onClick={() => onChange(writeObject(withoutMember(variables, variable)))}
                  >
                    Remove
                  </button>
                </div>
              ))}
            </div>
            <div class="add-row">
              <TextField
                label="Variable"
                value={name}
                onChange={setName}
                fault={name === '' || isName ? null : isTaken ? 'The group has it.' : 'This is no name of a variable.'}
                isMonospaced
              />
              <button type="button" class="button" disabled={!isName} onClick={add}>
                Add the variable
              </button>
            </div>
          </>
        )
      }
      json={
        <TextArea
          label="Variables as JSON"
          value={text}
          onChange={onChange}
          fault={fault}
          hint='{"tier": "gold"}'
          rows={6}
        />
      }
    />
  );
}
