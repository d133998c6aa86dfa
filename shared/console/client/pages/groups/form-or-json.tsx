import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface FormOrJsonProps {
  readonly label: string;
  /** Null: the JSON is not what fields can show. */
  readonly form: ComponentChildren;
  readonly json: ComponentChildren;
}

/** The same values as fields, or as JSON. */
export function FormOrJson({ label, form, json }: FormOrJsonProps) {
  const [isJson, setJson] = useState(false);
  const showsJson = isJson || form === null;
  return (
    <section class="form" aria-label={label}>
      <div class="form-head">
        <h3>{label}</h3>
        <button
          type="button"
          class="button button-small"
          aria-pressed={showsJson}
          disabled={form === null}
          onClick={() => setJson(!isJson)}
        >
          As JSON<span class="visually-hidden">: {label}</span>
        </button>
      </div>
      {showsJson ? json : form}
    </section>
  );
}
