import type { CompileJob } from './ports/compile-queue.ts';

/** Creates the job to send in place of a dead letter: due at once, and no agent waits. */
export function renewJob({ certname, generation, reason, at, volatileBefore, warm }: CompileJob): CompileJob {
  return {
    ...{ certname, generation, reason, at },
    ...(volatileBefore === undefined ? {} : { volatileBefore }),
    ...(warm === undefined ? {} : { warm }),
  };
}
