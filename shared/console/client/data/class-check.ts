import { useEffect, useState } from 'preact/hooks';
import { callApi } from './api-client.ts';
import type { ClassesOfGroup } from './class-values.ts';

/** A value that does not have the type of its parameter. */
export interface ValueFault {
  readonly class: string;
  readonly parameter: string;
  readonly message: string;
}

/** Compares values with the types of the deployed code. Throws ApiFault. */
export async function checkClasses(
  environment: string,
  classes: ClassesOfGroup,
  signal?: AbortSignal,
): Promise<readonly ValueFault[]> {
  if (Object.keys(classes).length === 0) return [];
  const body = { environment, classes };
  const options = { method: 'POST', body, ...(signal === undefined ? {} : { signal }) } as const;
  return (await callApi('/understudy/v1/groups/check', options)).data.faults;
}

/** Pause after the last key before the values are checked. */
const PAUSE_MS = 400;

/**
 * The faults of values as one types. None while the server does not answer: saving checks again.
 */
export function useClassFaults(environment: string, classes: ClassesOfGroup | null): readonly ValueFault[] {
  const [faults, setFaults] = useState<readonly ValueFault[]>([]);
  const wanted = JSON.stringify(classes);
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      const found = await checkClasses(environment, (JSON.parse(wanted) as ClassesOfGroup | null) ?? {}, stop.signal)
        // Saving asks again, and says why it failed.
        .catch(() => []);
      if (!stop.signal.aborted) setFaults(found);
    };
    const timer = window.setTimeout(ask, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [environment, wanted]);
  return faults;
}
