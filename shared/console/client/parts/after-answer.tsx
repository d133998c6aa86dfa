import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AnswerState } from '../data/use-answer.ts';

/** So long a slow answer keeps back what depends on it, or stands below it. */
const MOST_MS = 3_000;

/** Whether all these answers came or failed, or three seconds have passed. Once true, it stays. */
export function useSettled(answers: readonly AnswerState<unknown>[]): boolean {
  const [isSettled, setSettled] = useState(answers.every(({ data }) => data !== null));
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(true), MOST_MS);
    return () => window.clearTimeout(timer);
  }, []);
  if (!isSettled && answers.every(({ data, fault }) => data !== null || fault !== null)) setSettled(true);
  return isSettled;
}

interface AfterAnswerProps {
  /** Whether the answer above came: see `useSettled`. */
  readonly isSettled: boolean;
  readonly children: ComponentChildren;
}

/**
 * What stands below an answer of unknown height: it appears with the answer, so that nothing moves
 * under the reader's eyes. What it shows is read meanwhile.
 */
export function AfterAnswer({ isSettled, children }: AfterAnswerProps) {
  return (
    <div class="after-answer" hidden={!isSettled}>
      {children}
    </div>
  );
}
