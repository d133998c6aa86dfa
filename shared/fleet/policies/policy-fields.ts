import { LANGUAGE_LEVELS } from '../../config/language-level.ts';
import { MOST_STAGE_CANARIES, STAGE_ENDS, STAGE_MINUTES } from '../../config/stage-limits.ts';
import { STRICT_LEVELS } from '../../config/strictness.ts';
import { NamedError } from '../../util/named-error.ts';
import {
  type NotifyRate,
  type NotifyWindow,
  parseCanary,
  parseNotifyRate,
  parseNotifyWindow,
  printNotifyRate,
  printNotifyWindow,
} from './notify-policy.ts';

/**
 * A field of policies. Its name, with underscores (`hold_seconds`), is that of the HTTP API, of
 * `policy list` and of the document store.
 */
interface PolicyField<T, U = T> {
  /** The option of `policy set`, with its argument: `--hold <seconds>`. */
  readonly option: string;
  /** One sentence without its full stop, for help texts. */
  readonly help: string;
  /** The value where no entry has one. */
  readonly usual: U;
  /** Whether nodes of an environment share the value: then no node has its own. */
  readonly isShared?: true;
  /** The rule for values, without its subject: `must be …`. */
  readonly rule: string;
  readonly choices?: readonly unknown[];
  /** Parses a value in JSON; undefined for a value that breaks the rule. */
  parse(value: unknown): T | undefined;
  /** The value in JSON; absent: the value itself. */
  readonly print?: (value: T) => unknown;
  /** The value in JSON of an option's argument; absent: a number where it is one, else a text. */
  readonly readText?: (text: string) => unknown;
}

const LONGEST_HOLD_S = 540;
const LONGEST_RETRY_S = 86_400;
const STAGE_SHARE = /^(\d{1,2}(?:\.\d{1,3})?)%$/;

/** All fields, in the order of help texts. */
export const POLICY_FIELDS = {
  freshness: oneOf('freshness <how>', ['wait', 'stale', 'retry'], {
    usual: 'wait',
    help: 'wait (for the compile), stale (the last good catalog at once) or retry (503 with Retry-After at once)',
  }),
  /** A front door may have a shorter limit. */
  holdSeconds: wholeNumber(
    'hold <seconds>',
    'whole seconds',
    { usual: 120, least: 0, most: LONGEST_HOLD_S },
    'the longest wait',
  ),
  /** `stale`: the last good catalog, or `503` with `Retry-After` when there is none. */
  afterHold: oneOf('after-hold <how>', ['stale', 'retry'], {
    usual: 'stale',
    help: 'after the longest wait: stale or retry',
  }),
  /** Values are uniformly distributed. */
  retryAfterSeconds: field<readonly [least: number, most: number]>({
    option: '--retry-after <range>',
    help: 'the range of Retry-After in seconds, such as 30-90',
    usual: [30, 90],
    rule: `must be two numbers of seconds from 0 to ${LONGEST_RETRY_S}, the lower one first`,
    parse: parseRange,
    readText: (text) => text.split('-').map(readNumberOrText),
  }),
  exports: oneOf('exports <how>', ['follow', 'ring'], {
    usual: 'follow',
    isShared: true,
    help: 'what a changed export does to the nodes that collect it: follow (compile them) or ring (nothing; the verification of the ring finds it); not for a node',
  }),
  deployCheck: oneOf('deploy-check <how>', ['on', 'off'], {
    usual: 'off',
    isShared: true,
    help: 'on: a deploy compiles one node of each role first, and is refused when one fails that compiled before; off by default, not for a node',
  }),
  compiler: oneOf('compiler <whose>', ['understudy', 'upstream', 'compare'], {
    usual: 'understudy',
    help: 'whose catalogs nodes get: understudy, upstream (those of the server that --compiler-upstream names) or compare (the same, compared with ours)',
  }),
  language: oneOf('language <level>', LANGUAGE_LEVELS, {
    usual: undefined,
    isShared: true,
    help: `the language that nodes are compiled in, in place of the server's --language: ${LANGUAGE_LEVELS.join(', ')}; a change compiles the nodes of the environment again; not for a node`,
  }),
  strict: oneOf('strict <level>', STRICT_LEVELS, {
    usual: undefined,
    isShared: true,
    help: "how strictly nodes are compiled, in place of the server's --strict: off, warning or error; a change compiles the nodes of the environment again; not for a node",
  }),
  strictVariables: field<boolean, undefined>({
    option: '--strict-variables <boolean>',
    help: "whether an unknown variable is an error, in place of the server's --strict-variables: true or false; not for a node",
    usual: undefined,
    isShared: true,
    rule: 'must be true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    readText: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  }),
  /** A run outside of a node's schedule changes production: an operator switches it on. */
  notify: oneOf('notify <how>', ['off', 'paced', 'now'], {
    usual: 'off',
    help: 'what follows when a catalog changes: off (the node gets it at its next check-in), paced or now (it is notified to run)',
  }),
  /** The usual rate notifies a fleet in 50 minutes. */
  notifyRate: field<NotifyRate>({
    option: '--notify-rate <rate>',
    help: 'how many paced nodes are notified to run in a period, such as 2%/min or 10/min; not for a node',
    usual: { amount: 2, unit: 'percent', per: 'min' },
    isShared: true,
    rule: 'must be a number or a percentage per s, min or h, such as 2%/min or 10/min',
    parse: (value) => parseNotifyRate(value) ?? undefined,
    print: printNotifyRate,
  }),
  /** Null, in JSON `any`: at any time. */
  notifyWindow: field<NotifyWindow | null>({
    option: '--notify-window <time>',
    help: "when nodes are notified: a time of the day in UTC or another zone, such as '22:00-05:00 Europe/Berlin', or any",
    usual: null,
    rule: "must be a time of the day such as 22:00-05:00 (in UTC), 22:00-05:00 Europe/Berlin, or 'any'",
    parse: (value) => (value === 'any' ? null : (parseNotifyWindow(value) ?? undefined)),
    print: (window) => (window === null ? 'any' : printNotifyWindow(window)),
  }),
  /**
   * Nodes that run before the others, which follow only when those do no worse than before. Null:
   * `PACED_CANARY` for paced nodes, and none for others.
   */
  canary: field<number | string, null>({
    option: '--canary <count>',
    help: 'how many nodes, or which share of them (2%), run before the others, which wait for their reports; not for a node',
    usual: null,
    isShared: true,
    rule: 'must be a whole number of nodes from 0 to 1000, or a percentage such as 2%',
    parse: (value) => parseCanary(value) ?? undefined,
  }),
  stageCanaries: field<number | string>({
    option: '--stage-canaries <nodes>',
    help: 'stage deploys: how many of the nodes that use what changed, or which share of them (5%), have new code first; off gives it to all; not for a node',
    usual: 'off',
    isShared: true,
    rule: `must be a whole number of nodes from 1 to ${MOST_STAGE_CANARIES}, a percentage such as 5%, or 'off'`,
    parse: (value) => parseStageCanaries(value) ?? undefined,
  }),
  stageMinutes: field<number>({
    ...wholeNumber(
      'stage-minutes <count>',
      'whole minutes',
      STAGE_MINUTES,
      'how long the canaries of a staged deploy have to run',
    ),
    isShared: true,
  }),
  stageWhenGood: oneOf('stage-when-good <end>', STAGE_ENDS.whenGood, {
    usual: 'promote',
    isShared: true,
    help: 'when all canaries ran, and none is worse: promote or hold',
  }),
  stageWhenWorse: oneOf('stage-when-worse <end>', STAGE_ENDS.whenWorse, {
    usual: 'hold',
    isShared: true,
    help: 'when a canary is worse than before: hold or abort',
  }),
  stageWhenLate: oneOf('stage-when-late <end>', STAGE_ENDS.whenLate, {
    usual: 'hold',
    isShared: true,
    help: 'when not all canaries ran in time: hold, promote or abort',
  }),
};

export type PolicyName = keyof typeof POLICY_FIELDS;

export const POLICY_NAMES = Object.keys(POLICY_FIELDS) as readonly PolicyName[];

/** The answer to a catalog request of a node whose catalog is out of date, and what follows. */
export type FreshnessPolicy = {
  readonly [N in PolicyName]: (typeof POLICY_FIELDS)[N] extends PolicyField<infer T, infer U> ? T | U : never;
};

/** The values one entry sets. A node's entry overrides its environment's, that one `default`. */
export type PolicyEntry = Partial<FreshnessPolicy>;

/** A policy entry in the HTTP API, in the output of `policy list` and in the document store. */
export type PolicyDocument = Readonly<Record<string, unknown>>;

/** The values that no entry sets. */
export const DEFAULT_POLICY = Object.fromEntries(
  POLICY_NAMES.map((name) => [name, POLICY_FIELDS[name].usual]),
) as FreshnessPolicy;

/** The data is not a policy; the message gives the reason. */
export class InvalidPolicy extends NamedError {}

/** Checks and converts a `PolicyDocument`. Throws InvalidPolicy. */
export function readPolicyEntry(data: unknown): PolicyEntry {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new InvalidPolicy('a policy must be a hash');
  }
  return Object.fromEntries(Object.entries(data).map(([wireName, value]) => readField(wireName, value)));
}

function readField(wireName: string, value: unknown): readonly [PolicyName, unknown] {
  const name = POLICY_NAMES.find((one) => wireNameOf(one) === wireName);
  if (name === undefined) throw new InvalidPolicy(`a policy has no setting '${wireName}'`);
  const read = POLICY_FIELDS[name].parse(value);
  if (read === undefined) throw new InvalidPolicy(`'${wireName}' ${POLICY_FIELDS[name].rule}`);
  return [name, read];
}

/** Converts an entry to its `PolicyDocument`; the keys keep their order. */
export function writePolicyEntry(entry: PolicyEntry): PolicyDocument {
  const given = (Object.keys(entry) as PolicyName[]).filter((name) => entry[name] !== undefined);
  return Object.fromEntries(given.map((name) => [wireNameOf(name), printField(POLICY_FIELDS[name], entry[name])]));
}

// A value and its field belong together by their name.
function printField({ print }: { readonly print?: (value: never) => unknown }, value: unknown): unknown {
  return print === undefined ? value : print(value as never);
}

/** `hold_seconds` for `holdSeconds`. */
export function wireNameOf(name: PolicyName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function field<T, U = T>(given: PolicyField<T, U>): PolicyField<T, U> {
  return given;
}

function oneOf<const T extends string, U extends NoInfer<T> | undefined>(
  option: string,
  choices: readonly T[],
  rest: Pick<PolicyField<T, U>, 'usual' | 'help' | 'isShared'>,
): PolicyField<T, U> {
  return {
    ...rest,
    option: `--${option}`,
    choices,
    rule: `must be one of ${choices.join(', ')}`,
    parse: (value) => choices.find((one) => one === value),
  };
}

function wholeNumber(
  option: string,
  what: string,
  { usual, least, most }: { readonly usual: number; readonly least: number; readonly most: number },
  help: string,
): PolicyField<number> {
  return {
    option: `--${option}`,
    help,
    usual,
    rule: `must be ${what} from ${least} to ${most}`,
    parse: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined,
  };
}

function parseRange(value: unknown): readonly [number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [least, most]: readonly unknown[] = value;
  const isSeconds = (one: unknown): one is number =>
    typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= LONGEST_RETRY_S;
  return isSeconds(least) && isSeconds(most) && least <= most ? [least, most] : undefined;
}

/** Reads a number of canaries, a share of the nodes, or `off`; null for anything else. */
function parseStageCanaries(value: unknown): number | string | null {
  if (value === 'off') return value;
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 1 && value <= MOST_STAGE_CANARIES ? value : null;
  }
  const [, percent] = typeof value === 'string' ? (STAGE_SHARE.exec(value) ?? []) : [];
  return percent !== undefined && Number(percent) > 0 ? String(value) : null;
}

/** A number where the text is one. */
export function readNumberOrText(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
