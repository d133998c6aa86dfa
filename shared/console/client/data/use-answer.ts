import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOptions } from './answer-options.ts';
import { AnswerReader, type ReadProgress, startOfReading } from './answer-reader.ts';
import type { ApiFault } from './api-fault.ts';
import type { DescribedAddress, DescribedAnswer } from './described-addresses.ts';
import { subscribeToEvents } from './live-events.ts';

/** State of an answer. With `fault`, `data` is the answer before. */
export interface AnswerState<T> {
  readonly data: T | null;
  /** The number of all rows, where the API says it. */
  readonly total: number | null;
  /** When `data` came, in ms since 1970; null without data. */
  readonly at: number | null;
  /** When `data` was asked for: what happened later may not be in it. */
  readonly askedAt: number | null;
  readonly fault: ApiFault | null;
  /** When the next try starts, in ms since 1970; null when none is planned. */
  readonly retryAt: number | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Reads an address and keeps the answer fresh: after its events, and with a growing pause after
 * failures. Nothing is read for null. The type is that of `docs/openapi.yaml`; callers name it for
 * the addresses of other APIs.
 */
export function useAnswer<const Address extends DescribedAddress>(
  path: Address | null,
  options?: AnswerOptions,
): AnswerState<DescribedAnswer<Address, 'GET'>>;
export function useAnswer<T>(path: string | null, options?: AnswerOptions): AnswerState<T>;
export function useAnswer<T>(path: string | null, options: AnswerOptions = {}): AnswerState<T> {
  const [progress, setProgress] = useState<ReadProgress>(() => startOfReading(path));
  const reader = useRef<AnswerReader | null>(null);
  const reload = useCallback(() => reader.current?.ask(), []);
  useEffect(() => {
    if (path === null) return;
    const created = new AnswerReader(path, setProgress);
    reader.current = created;
    created.ask();
    return () => {
      created.stop();
      reader.current = null;
    };
  }, [path]);
  useRefreshing(path, options, reader);

  const shown = progress.key === path ? progress : startOfReading(path);
  return {
    data: (shown.kept?.data ?? null) as T | null,
    total: shown.kept?.total ?? null,
    at: shown.kept?.at ?? null,
    askedAt: shown.kept?.askedAt ?? null,
    fault: shown.fault,
    retryAt: shown.retryAt,
    isLoading: shown.isLoading,
    reload,
  };
}

/**
 * Reads again after events, and at times. Nothing is read while the page is hidden; what was
 * missed is made up for when it is seen again.
 */
function useRefreshing(
  path: string | null,
  options: AnswerOptions,
  reader: { readonly current: AnswerReader | null },
): void {
  const names = (options.events ?? []).join(' ');
  const { every } = options;
  const concerns = useRef(options.concerns);
  concerns.current = options.concerns;
  useEffect(() => {
    if (path === null) return;
    let [hasMissed, timer] = [false, 0];
    const refresh = (isPolled: boolean) => {
      if (document.hidden) hasMissed = true;
      else reader.current?.refresh(isPolled);
    };
    const follow = () =>
      subscribeToEvents(names.split(' '), ({ data, isPolled }) => {
        if (timer !== 0 || concerns.current?.(data) === false) return;
        timer = window.setTimeout(() => {
          timer = 0;
          refresh(isPolled);
        }, reader.current?.pauseMs);
      });
    const makeUp = () => {
      if (document.hidden || !hasMissed) return;
      hasMissed = false;
      reader.current?.refresh(false);
    };
    const unfollow = names === '' ? () => {} : follow();
    const poll = every === undefined ? 0 : window.setInterval(() => refresh(true), every);
    document.addEventListener('visibilitychange', makeUp);
    return () => {
      unfollow();
      window.clearTimeout(timer);
      window.clearInterval(poll);
      document.removeEventListener('visibilitychange', makeUp);
    };
  }, [path, names, every, reader]);
}
