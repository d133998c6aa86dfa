import { ScrollArea } from './scroll-area.tsx';

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
}

/** Text in a fixed width that scrolls by itself. */
export function CodeBlock({ text, label }: CodeBlockProps) {
  return (
    <ScrollArea class="code-block" label={label}>
      <pre>{text}</pre>
    </ScrollArea>
  );
}

/** A value of JSON as text: texts as they are, everything else as JSON. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return String(value);
  const short = JSON.stringify(value);
  return short.length < 120 ? short : JSON.stringify(value, null, 1);
}
