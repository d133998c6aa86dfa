import { LANGUAGE_LEVELS } from '../../config/language-level.ts';
import { STRICT_LEVELS, type Strictness } from '../../config/strictness.ts';
import type { CompileSettings } from '../../puppet/evaluator/ports.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { printStrictness } from '../policies/strictness-policy.ts';
import type { WorkerContext } from './worker-context.ts';

/** The settings of a compile in an environment of this strictness; the rest is the server's. */
export function compileSettings(
  { settings, forcedStrictness }: Pick<WorkerContext, 'settings' | 'forcedStrictness'>,
  strictness: Partial<Strictness> = {},
): CompileSettings {
  return { ...settings, ...strictness, ...forcedStrictness };
}

/**
 * Digest of all inputs beside the node and its environment: the compiler, its settings, the
 * server's facts, and whether code can ask an inventory. `strictness`: that of the environment.
 */
export function compilerIdentity(
  context: Pick<WorkerContext, 'settings' | 'forcedStrictness' | 'server' | 'inventory'>,
  strictness?: Partial<Strictness>,
): string {
  const { server, inventory } = context;
  const settings = compileSettings(context, strictness);
  return digestSha256(canonicalJson([settings, server, ...(inventory ? ['inventory'] : [])]));
}

/** The reason to compile a node again that was compiled by another compiler than `context`. */
export function describeOtherCompiler(
  identity: string,
  context: Parameters<typeof compilerIdentity>[0],
  strictness?: Partial<Strictness>,
): string {
  const { forcedStrictness: _, ...unforced } = context;
  const before = EACH_STRICTNESS.find((one) => compilerIdentity(unforced, one) === identity);
  if (before === undefined) return 'another compiler';
  const after = compileSettings(context, strictness);
  return `${printStrictness(changesOf(before, after))} -> ${printStrictness(changesOf(after, before))}`;
}

type Described = Pick<Strictness, 'language' | 'strict' | 'strictVariables'>;

/** The settings of the first that the second has otherwise. */
function changesOf(one: Described, other: Described): Partial<Strictness> {
  return {
    ...(one.language !== other.language && { language: one.language }),
    ...(one.strict !== other.strict && { strict: one.strict }),
    ...(one.strictVariables !== other.strictVariables && { strictVariables: one.strictVariables }),
  };
}

const EACH_STRICTNESS = LANGUAGE_LEVELS.flatMap((language) =>
  STRICT_LEVELS.flatMap((strict) =>
    [true, false].map((strictVariables): Strictness => ({ language, strict, strictVariables })),
  ),
);
