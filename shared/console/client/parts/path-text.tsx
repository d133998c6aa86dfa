interface PathTextProps {
  readonly text: string;
  readonly class?: string;
}

/** A path or a name in a fixed width; lines break after a slash or `::` rather than in words. */
export function PathText({ text, class: name }: PathTextProps) {
  const parts = text.split(/(?<=\/|::)/);
  return (
    <code class={name}>
      {parts.map((part, index) => (
        <span key={index}>
          {part}
          {index < parts.length - 1 && <wbr />}
        </span>
      ))}
    </code>
  );
}
