import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AnswerState } from '../data/use-answer.ts';

interface AfterAnswerProps {
  readonly answer: AnswerState<unknown>;
  readonly children: ComponentChildren;
}

/** So long a slow answer keeps back what stands below it. */
const MOST_MS = 3_000;

/**
 * What stands below an answer of unknown height: it appears with the answer, so that nothing moves
 * under the reader's eyes. What it shows is read meanwhile.
 */
export function AfterAnswer({ answer, children }: AfterAnswerProps) {
  const [isShown, setShown] = useState(answer.data !== null);
  useEffect(() => {
    const timer = window.setTimeout(() => setShown(true), MOST_MS);
    return () => window.clearTimeout(timer);
  }, []);
  if (!isShown && (answer.data !== null || answer.fault !== null)) setShown(true);
  return (
    <div class="after-answer" hidden={!isShown}>
      {children}
    </div>
  );
}
