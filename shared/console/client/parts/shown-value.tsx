import { CodeBlock, showValue } from './code-block.tsx';

/** A value on one line, or in a block when it is long. */
export function ShownValue({ value }: { readonly value: unknown }) {
  const text = showValue(value);
  if (text.length < 160 && !text.includes('\n')) return <code>{text}</code>;
  return <CodeBlock text={text} label="Value" />;
}

interface ChangedValueProps {
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** A value before and after. */
export function ChangedValue({ name, from, to }: ChangedValueProps) {
  return (
    <div class="change">
      <span class="change-name">{name}</span>
      {from !== undefined && (
        <del>
          <ShownValue value={from} />
        </del>
      )}
      {to !== undefined && (
        <ins>
          <ShownValue value={to} />
        </ins>
      )}
    </div>
  );
}
