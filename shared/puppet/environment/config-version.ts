import { computeCommand } from '../commands/pure-command.ts';

/** The version that `config_version` gives to catalogs, or the reason why it gives none. */
type ConfigVersion =
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** A word of a command line that the shell takes as it is, with or without quotes. */
const WORD = /"([^"$`\\!]*)"|'([^']*)'|([\w@%+=:,./-]+)/y;

/**
 * The version of an environment's catalogs. `command` is its `config_version`; null for none. Only
 * commands whose output depends on their arguments alone are known: no program runs. Puppet:
 * ResourceTypeCollection#version
 */
export function findConfigVersion(command: string | null): ConfigVersion {
  if (command === null || command === '') return { kind: 'none' };
  const words = splitWords(command);
  if (words === null) return refuse(command, 'it needs a shell');
  const outcome = computeCommand(words);
  if (outcome === null) return refuse(command, 'no program runs on a server');
  if (outcome.status !== 0) return refuse(command, `it fails with the status ${outcome.status}`);
  return { kind: 'known', text: outcome.stdout.trim() };
}

function refuse(command: string, reason: string): ConfigVersion {
  const instead = 'the version of a catalog is the time of its compile, and its code_id names the code';
  return { kind: 'refused', reason: `config_version '${command}' is not run, as ${reason}: ${instead}` };
}

/** The words of a simple command; null when a shell would do more than split it. */
function splitWords(command: string): readonly string[] | null {
  const words: string[] = [];
  for (const part of command.trim().split(/[ \t]+(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/)) {
    WORD.lastIndex = 0;
    const [whole, double, single, bare] = WORD.exec(part) ?? [];
    if (whole !== part) return null;
    words.push(double ?? single ?? bare ?? '');
  }
  return words;
}
