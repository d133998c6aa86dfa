import type { ComponentChildren } from 'preact';
import type { AnswerState } from '../data/use-answer.ts';
import { printRelative, RelativeTime, useNow } from './time.tsx';

interface AnswerViewProps<T> {
  readonly answer: AnswerState<T>;
  /** Name of the answer, as in `the nodes`. */
  readonly what: string;
  /** Number of lines that the skeleton reserves. */
  readonly lines?: number;
  /** Whether it is a summary, which is higher on narrow screens. */
  readonly isSummary?: boolean;
  readonly children: (data: T) => ComponentChildren;
}

/**
 * Shows an answer: a skeleton of the same height before, the fault when there is none, and what is
 * known with its age when a later read failed.
 */
export function AnswerView<T>({ answer, what, lines = 6, isSummary = false, children }: AnswerViewProps<T>) {
  const { data, fault } = answer;
  return (
    <>
      {fault !== null && <ErrorState answer={answer} what={what} />}
      {data === null ? fault === null && <Skeleton lines={lines} what={what} isSummary={isSummary} /> : children(data)}
    </>
  );
}

interface SkeletonProps {
  readonly lines: number;
  readonly what: string;
  readonly isSummary?: boolean;
}

/** Grey lines in the place of what is being read. */
export function Skeleton({ lines, what, isSummary = false }: SkeletonProps) {
  return (
    <div class={isSummary ? 'skeleton skeleton-summary' : 'skeleton'} role="status">
      <span class="skeleton-text">Reading {what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

/**
 * Shows the fault, the age of the shown data and the time of the next try, with a button for it.
 */
export function ErrorState({ answer, what }: { readonly answer: AnswerState<unknown>; readonly what: string }) {
  const now = useNow();
  const { fault, at, retryAt, reload } = answer;
  if (fault === null) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <div>
        <strong>Could not read {what}.</strong> {fault.message}
        {at !== null && (
          <>
            {' '}
            What you see is from <RelativeTime at={at} />.
          </>
        )}
        {retryAt !== null && ` The next try is ${printRelative(Math.max(retryAt, now), now).replace(/\.?$/, '.')}`}
      </div>
      {fault.kind !== 'forbidden' && (
        <button type="button" class="button" onClick={reload}>
          Try again
        </button>
      )}
    </div>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Says that there is nothing, and what to do about it. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div class="empty" role="status">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}
