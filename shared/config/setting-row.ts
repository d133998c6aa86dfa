import { readBlockList } from './fact-settings.ts';
import { type Bounds, parseBoundedNumber, parseUserAndGroup, type UserAndGroup } from './setting-values.ts';

/**
 * A row of `SETTINGS`. The name of the row, in camel case, gives the option (`--ring-turn`), the
 * key of a configuration file (`ring-turn`), the environment variable (`UNDERSTUDY_RING_TURN`) and
 * the key in the context of the CDK (`ringTurn`).
 */
export type SettingRow = Common &
  (
    | { readonly kind: 'flag' }
    | (Bounds & { readonly kind: 'number'; readonly of: string; readonly usual?: number })
    /** Number or `off`; the usual one is taken if it is free. */
    | { readonly kind: 'port'; readonly usual: number }
    | { readonly kind: 'boolean'; readonly of: string; readonly usual: boolean }
    | { readonly kind: 'choice'; readonly of: string; readonly choices: readonly string[]; readonly usual: string }
    | { readonly kind: 'choices'; readonly of: string; readonly choices: readonly string[] }
    | { readonly kind: 'text'; readonly of: string; readonly usual?: string }
    /** A text, or the option without a value. */
    | { readonly kind: 'textOrFlag'; readonly of: string }
    | { readonly kind: 'names' | 'facts' | 'user' | 'load'; readonly of: string }
  );

interface Common {
  /** One sentence without its full stop, for help texts and docs/settings.md. */
  readonly help: string;
  /** The default in help texts, where the value does not show it. */
  readonly usualText?: string;
  /** The name of Puppet's setting that has the same values. */
  readonly puppet?: string;
  /** The name of a setting that excludes this one. */
  readonly conflicts?: string;
  /** Absent: deployments in AWS do not have the setting. */
  readonly aws?: AwsPlace;
}

/** The place of a setting in `cdk.json`, and what differs in AWS. */
interface AwsPlace {
  /** The key of the context behind `understudy:`. */
  readonly section: 'settings' | 'inventory' | 'orchestrator';
  readonly usual?: number;
  readonly most?: number;
}

/** The type of a row's value. */
export type SettingValue<R> = R extends { kind: 'flag' | 'boolean' }
  ? boolean
  : R extends { kind: 'number' }
    ? number | Absent<R>
    : R extends { kind: 'port' }
      ? number | 'off'
      : R extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : R extends { kind: 'choices'; choices: readonly (infer C)[] }
          ? readonly C[] | undefined
          : R extends { kind: 'text' }
            ? string | Absent<R>
            : R extends { kind: 'textOrFlag' }
              ? string | boolean
              : R extends { kind: 'user' }
                ? UserAndGroup | undefined
                : R extends { kind: 'load' }
                  ? number | undefined
                  : readonly string[] | undefined;

type Absent<R> = R extends { usual: number | string } ? never : undefined;

/** Parses the text of a setting. Throws RangeError; its message is a rule: `must be …`. */
export function parseSetting(row: SettingRow, text: string): unknown {
  switch (row.kind) {
    case 'flag':
    case 'boolean':
      return parseChoice(text, ['true', 'false']) === 'true';
    case 'number':
      return parseBoundedNumber(text, row);
    case 'port':
      return text === 'off' ? text : parseBoundedNumber(text, PORTS);
    case 'choice':
      return parseChoice(text, row.choices);
    case 'choices':
      return text.split(/[\s,]+/).map((one) => parseChoice(one, row.choices));
    case 'names':
      return text.split(',');
    case 'facts':
      return readBlockList(text);
    case 'user':
      return parseUserAndGroup(text);
    case 'load':
      return parseLoad(text);
    case 'text':
    case 'textOrFlag':
      return text;
  }
}

const PORTS = { least: 0, most: 65_535 };

function parseChoice<const C extends string>(text: string, choices: readonly C[]): C {
  const found = choices.find((one) => one === text);
  if (found !== undefined) return found;
  throw new RangeError(`must be one of ${choices.join(', ')}`);
}

function parseLoad(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new RangeError('must be a positive number');
}
