import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AnswerState } from '../data/use-answer.ts';

/**
 * Longest time for which a slow answer keeps back the parts that depend on it or stand below it.
 */
const MOST_MS = 3_000;

/**
 * Whether all these answers came or failed, or `mostMs` have passed, three seconds by default. Once
 * true, it stays.
 */
export function useSettled(answers: readonly AnswerState<unknown>[], mostMs = MOST_MS): boolean {
  const [isSettled, setSettled] = useState(answers.every(({ data }) => data !== null));
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(true), mostMs);
    return () => window.clearTimeout(timer);
  }, [mostMs]);
  if (!isSettled && answers.every(({ data, fault }) => data !== null || fault !== null)) setSettled(true);
  return isSettled;
}

interface AfterAnswerProps {
  /** Whether the answer above came: see `useSettled`. */
  readonly isSettled: boolean;
  readonly children: ComponentChildren;
}

/**
 * Content below an answer of unknown height: it appears with the answer, so that nothing moves
 * under the reader's eyes. Its own data is read meanwhile.
 */
export function AfterAnswer({ isSettled, children }: AfterAnswerProps) {
  return (
    <div class="after-answer" hidden={!isSettled}>
      {children}
    </div>
  );
}
