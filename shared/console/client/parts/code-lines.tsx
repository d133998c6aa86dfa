import { useEffect, useRef } from 'preact/hooks';
import type { ApiSchema } from '../../../api/described-answers.ts';
import { ScrollArea } from './scroll-area.tsx';

export type CodeWindow = ApiSchema<'CodeWindow'>;

interface CodeLinesProps {
  readonly shown: CodeWindow;
  /** The line that is marked, and scrolled to; null for none. */
  readonly marked: number | null;
  readonly label: string;
}

/** Lines of code with their numbers; the marked one is in the middle of what is seen. */
export function CodeLines({ shown: { first, lines }, marked, label }: CodeLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [element, line] = [box.current, box.current?.querySelector<HTMLElement>('.is-marked')];
    if (element != null && line != null) {
      element.scrollTop = line.offsetTop - element.offsetTop - element.clientHeight / 2;
    }
  }, [first, marked]);
  return (
    <ScrollArea areaRef={box} class="code-lines" label={label}>
      <ol start={first}>
        {lines.map((line, index) => (
          <li
            key={index}
            class={first + index === marked ? 'is-marked' : undefined}
            aria-current={first + index === marked ? 'true' : undefined}
          >
            <code>{line}</code>
          </li>
        ))}
      </ol>
    </ScrollArea>
  );
}
