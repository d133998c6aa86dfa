import { useState } from 'preact/hooks';
import { ApiFault } from './api-fault.ts';

/** A change that the user can start. */
export interface Action<Argument> {
  /**
   * Buttons say it by `aria-disabled`: one that is `disabled` loses the focus.
   */
  readonly isRunning: boolean;
  readonly fault: ApiFault | null;
  /** Starts it; a start while it runs does nothing. */
  readonly run: (argument: Argument) => void;
  readonly clear: () => void;
}

/** Runs a change once at a time, and keeps the fault of the last try. */
export function useAction<Argument>(perform: (argument: Argument) => Promise<void>): Action<Argument> {
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const run = async (argument: Argument): Promise<void> => {
    if (isRunning) return;
    setRunning(true);
    setFault(null);
    try {
      await perform(argument);
    } catch (error) {
      setFault(error instanceof ApiFault ? error : new ApiFault('broken', 'The page failed to do this.'));
    }
    setRunning(false);
  };
  return { isRunning, fault, run: (argument) => void run(argument), clear: () => setFault(null) };
}
