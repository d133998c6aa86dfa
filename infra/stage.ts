import type { IConstruct } from 'constructs';

/** The stage of the stack under `understudy:stage`; undefined for the only stack of an account. */
export function stageOf({ node }: IConstruct): string | undefined {
  const stage: unknown = node.tryGetContext('understudy:stage');
  if (stage === undefined || stage === '') return undefined;
  if (typeof stage === 'string' && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage;
  throw new Error("Context understudy:stage: it must be up to 20 lower-case letters, digits and '-', a letter first");
}
