import type { IConstruct } from 'constructs';

/**
 * Returns the context value `understudy:stage`: a name such as `staging` for one of several stacks
 * of an account. Undefined when it is not set.
 */
export function stageOf({ node }: IConstruct): string | undefined {
  const stage: unknown = node.tryGetContext('understudy:stage');
  if (stage === undefined || stage === '') return undefined;
  if (typeof stage === 'string' && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage;
  throw new Error("Context understudy:stage: it must be up to 20 lower-case letters, digits and '-', a letter first");
}
