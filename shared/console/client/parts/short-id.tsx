import { CopyButton } from './copy-button.tsx';

interface ShortIdProps {
  readonly id: string | null;
  /** Name of the id, as `the code id`; absent where a button to copy it has no place. */
  readonly what?: string;
}

/** The beginning of a digest; all of it on hover. */
export function ShortId({ id, what }: ShortIdProps) {
  if (id === null) return <span class="muted">none</span>;
  return (
    <span class="short-id">
      <code title={id}>{id.slice(0, 12)}</code>
      {what !== undefined && <CopyButton text={id} what={what} />}
    </span>
  );
}
