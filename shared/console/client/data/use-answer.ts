import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { answerCache, type KeptAnswer } from './answer-cache.ts';
import type { AnswerOptions } from './answer-options.ts';
import { callApi } from './api-client.ts';
import { ApiFault } from './api-fault.ts';
import { planRetry, readSpread } from './back-off.ts';
import { readBrowserClock } from './browser-clock.ts';
import { subscribeToEvents } from './live-events.ts';

/** What is known of an answer. With `fault`, `data` is what was known before. */
export interface AnswerState<T> {
  readonly data: T | null;
  /** The number of all rows, where the API says it. */
  readonly total: number | null;
  /** When `data` came, in ms since 1970; null without data. */
  readonly at: number | null;
  readonly fault: ApiFault | null;
  /** When the next try starts, in ms since 1970; null when none is planned. */
  readonly retryAt: number | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface Progress {
  readonly key: string | null;
  readonly kept: KeptAnswer | null;
  readonly fault: ApiFault | null;
  readonly retryAt: number | null;
  readonly isLoading: boolean;
}

/** Reads that events cause come at most so often. */
const PAUSE_MS = 1_000;

/**
 * Reads an address and keeps the answer fresh: after its events, and with a growing pause after
 * failures. Nothing is read for null. The type is that of the API's documentation.
 */
export function useAnswer<T>(path: string | null, options: AnswerOptions = {}): AnswerState<T> {
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState<Progress>(() => startOf(path));
  const latest = useRef(options);
  latest.current = options;
  const isReading = useRef(false);
  const isAskedAgain = useRef(false);
  const reload = useCallback(() => {
    // A read that is under way is never given up for a newer one: a slow server would never answer.
    if (isReading.current) isAskedAgain.current = true;
    else setRound((count) => count + 1);
  }, []);

  useEffect(() => {
    if (path === null) return;
    setProgress((before) => ({ ...(before.key === path ? before : startOf(path)), isLoading: true }));
    isReading.current = true;
    const stop = readUntilAnswered(path, setProgress, () => {
      isReading.current = false;
      if (!isAskedAgain.current) return;
      isAskedAgain.current = false;
      setRound((count) => count + 1);
    });
    return () => {
      isReading.current = false;
      stop();
    };
  }, [path, round]);
  useReloading(path, latest.current, reload);

  const shown = progress.key === path ? progress : startOf(path);
  return {
    data: (shown.kept?.data ?? null) as T | null,
    total: shown.kept?.total ?? null,
    at: shown.kept?.at ?? null,
    fault: shown.fault,
    retryAt: shown.retryAt,
    isLoading: shown.isLoading,
    reload,
  };
}

function startOf(key: string | null): Progress {
  const kept = key === null ? null : answerCache.get(key);
  return { key, kept, fault: null, retryAt: null, isLoading: key !== null };
}

type SetProgress = (change: (before: Progress) => Progress) => void;

/**
 * Tries until there is an answer or a fault that does not pass. Calls `onTried` after each try.
 * Returns what stops it.
 */
function readUntilAnswered(path: string, setProgress: SetProgress, onTried: () => void): () => void {
  const stop = new AbortController();
  let timer = 0;
  let failures = 0;
  const attempt = async (): Promise<void> => {
    try {
      const answer = await callApi(path, { signal: stop.signal });
      const kept = { ...answer, at: readBrowserClock() };
      answerCache.set(path, kept);
      if (!stop.signal.aborted) setProgress(() => ({ key: path, kept, fault: null, retryAt: null, isLoading: false }));
    } catch (error) {
      if (stop.signal.aborted) return;
      const fault = error instanceof ApiFault ? error : new ApiFault('broken', 'The page failed to read the answer.');
      failures += 1;
      const pause = planRetry(fault, failures, readSpread());
      if (pause !== null) timer = window.setTimeout(attempt, pause);
      const retryAt = pause === null ? null : readBrowserClock() + pause;
      setProgress((before) => ({ ...before, key: path, fault, retryAt, isLoading: false }));
    }
    if (!stop.signal.aborted) onTried();
  };
  void attempt();
  return () => {
    window.clearTimeout(timer);
    stop.abort();
  };
}

/** Reads again after events, and at times while the page is seen. */
function useReloading(path: string | null, options: AnswerOptions, reload: () => void): void {
  const names = (options.events ?? []).join(' ');
  const { every } = options;
  const concerns = useRef(options.concerns);
  concerns.current = options.concerns;
  useEffect(() => {
    if (path === null || names === '') return;
    let timer = 0;
    const end = subscribeToEvents(names.split(' '), ({ data }) => {
      if (timer !== 0 || concerns.current?.(data) === false) return;
      timer = window.setTimeout(() => {
        timer = 0;
        reload();
      }, PAUSE_MS);
    });
    return () => {
      window.clearTimeout(timer);
      end();
    };
  }, [path, names, reload]);
  useEffect(() => {
    if (path === null || every === undefined) return;
    const timer = window.setInterval(() => {
      if (!document.hidden) reload();
    }, every);
    return () => window.clearInterval(timer);
  }, [path, every, reload]);
}
