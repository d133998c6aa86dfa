import { InvalidArgumentError, Option } from 'commander';
import { LANGUAGE_LEVELS } from '../../config/language-level.ts';
import { InvalidPolicy, type PolicyEntry, readPolicyEntry } from '../../fleet/catalogs/freshness.ts';
import { CommandError } from './node-files.ts';

/** A setting of a policy: its option, its name in the HTTP API, and its value there. */
interface PolicyOption {
  readonly flags: string;
  readonly description: string;
  readonly name: string;
  readonly read?: (text: string) => unknown;
}

const POLICY_OPTIONS: readonly PolicyOption[] = [
  {
    flags: '--freshness <how>',
    description:
      'wait (for the compile), stale (the last good catalog at once) or retry (503 with Retry-After at once)',
    name: 'freshness',
  },
  {
    flags: '--hold <seconds>',
    description: 'the longest wait',
    name: 'hold_seconds',
  },
  {
    flags: '--after-hold <how>',
    description: 'after the longest wait: stale or retry',
    name: 'after_hold',
  },
  {
    flags: '--retry-after <range>',
    description: 'the range of Retry-After in seconds, such as 30-90',
    name: 'retry_after_seconds',
    read: readRange,
  },
  {
    flags: '--exports <how>',
    description:
      'what a changed export does to the nodes that collect it: follow (compile them) or ring (nothing; the verification of the ring finds it); not for a node',
    name: 'exports',
  },
  {
    flags: '--deploy-check <how>',
    description:
      'on: a deploy compiles one node of each role first, and is refused when one fails that compiled before; off by default, not for a node',
    name: 'deploy_check',
  },
  {
    flags: '--compiler <whose>',
    description:
      'whose catalogs nodes get: understudy, upstream (those of the server that --compiler-upstream names) or compare (the same, compared with ours)',
    name: 'compiler',
  },
  {
    flags: '--language <level>',
    description: `the language that nodes are compiled in, in place of the server's --language: ${LANGUAGE_LEVELS.join(', ')}; a change compiles the nodes of the environment again; not for a node`,
    name: 'language',
  },
  {
    flags: '--strict <level>',
    description:
      "how strictly nodes are compiled, in place of the server's --strict: off, warning or error; a change compiles the nodes of the environment again; not for a node",
    name: 'strict',
  },
  {
    flags: '--strict-variables <boolean>',
    description:
      "whether an unknown variable is an error, in place of the server's --strict-variables: true or false; not for a node",
    name: 'strict_variables',
    read: readBoolean,
  },
  {
    flags: '--notify <how>',
    description:
      'what follows when a catalog changes: off (the node gets it at its next check-in), paced or now (it is notified to run)',
    name: 'notify',
  },
  {
    flags: '--notify-rate <rate>',
    description: 'how many paced nodes are notified to run in a period, such as 2%/min or 10/min; not for a node',
    name: 'notify_rate',
  },
  {
    flags: '--notify-window <time>',
    description:
      "when nodes are notified: a time of the day in UTC or another zone, such as '22:00-05:00 Europe/Berlin', or any",
    name: 'notify_window',
  },
  {
    flags: '--canary <count>',
    description:
      'how many nodes, or which share of them (2%), run before the others, which wait for their reports; not for a node',
    name: 'canary',
  },
  {
    flags: '--stage-canaries <nodes>',
    description:
      'stage deploys: how many of the nodes that use what changed, or which share of them (5%), have new code first; off gives it to all; not for a node',
    name: 'stage_canaries',
  },
  {
    flags: '--stage-minutes <count>',
    description: 'how long the canaries of a staged deploy have to run',
    name: 'stage_minutes',
  },
  {
    flags: '--stage-when-good <end>',
    description: 'when all canaries ran, and none is worse: promote or hold',
    name: 'stage_when_good',
  },
  {
    flags: '--stage-when-worse <end>',
    description: 'when a canary is worse than before: hold or abort',
    name: 'stage_when_worse',
  },
  {
    flags: '--stage-when-late <end>',
    description: 'when not all canaries ran in time: hold, promote or abort',
    name: 'stage_when_late',
  },
];

/** The option of a setting; a value that the policy refuses is refused as that of any option is. */
function toOption({ flags, description, name, read = readValue }: PolicyOption): Option {
  return new Option(flags, description).argParser((text) => {
    try {
      return readPolicyEntry({ [name]: read(text) });
    } catch (error) {
      if (!(error instanceof InvalidPolicy)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/^'\w+' must/, 'It must')}.`);
    }
  });
}

/** The settings that are given. Throws CommandError without any. */
export function readPolicyOptions(given: Readonly<Record<string, unknown>>): PolicyEntry {
  const entries = POLICY_OPTIONS.flatMap((option) => {
    const value = given[toOption(option).attributeName()];
    return typeof value === 'object' && value !== null ? [value as PolicyEntry] : [];
  });
  if (entries.length > 0) return Object.assign({}, ...entries);
  const names = POLICY_OPTIONS.map(({ flags }) => flags.replace(/ .*/, ''));
  throw new CommandError(`nothing to set: give ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}

/** The options of all settings. */
export function createPolicyOptions(): readonly Option[] {
  return POLICY_OPTIONS.map(toOption);
}

/** A message of `InvalidPolicy` with the name of the option in place of that in the HTTP API. */
export function nameOption(message: string): string {
  return message.replace(/^'(\w+)'/, (quoted, name) => {
    const option = POLICY_OPTIONS.find((one) => one.name === name);
    return option === undefined ? quoted : option.flags.replace(/ .*/, '');
  });
}

/** A number where it is one; the reader of policies knows what each setting has to be. */
function readValue(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function readRange(text: string): unknown {
  return text.split('-').map(readValue);
}

function readBoolean(text: string): boolean | string {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
