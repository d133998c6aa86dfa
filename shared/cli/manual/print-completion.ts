import type { DescribedCommand } from './describe-program.ts';

/** The shells that have a completion. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/**
 * Prints the script that completes commands, options and their choices in a shell; anything else is
 * completed as the name of a file.
 */
export function printCompletion(program: DescribedCommand, shell: CompletedShell): string {
  if (shell === 'bash') return printBash(program);
  return shell === 'zsh' ? printZsh(program) : printFish(program);
}

function listAll(command: DescribedCommand): readonly DescribedCommand[] {
  return [command, ...command.commands.flatMap(listAll)];
}

function wordsOf({ commands, options }: DescribedCommand): readonly string[] {
  return [...commands.map(({ path }) => path.at(-1) ?? ''), ...options.map(({ name }) => name)];
}

/** A case for each command and each option with choices, by the words in front of the cursor. */
function printBash(program: DescribedCommand): string {
  const all = listAll(program);
  const paths = all.filter(({ path }) => path.length > 0).map(({ path }) => `'${path.join(' ')}'`);
  const words = all.map((command) => `    '${command.path.join(' ')}') words='${wordsOf(command).join(' ')}' ;;`);
  const choices = all.flatMap(({ path, options }) =>
    options.flatMap(({ name, choices: values }) =>
      values.length === 0 ? [] : [`    '${[...path, name].join(' ')}') words='${values.join(' ')}' ;;`],
    ),
  );
  return `# Completion of understudy for bash: source it, or store it as
# /usr/share/bash-completion/completions/understudy.
_understudy() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${path:+$path }$word" in
      ${paths.join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "\${path:+$path }\${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join('\n')}
    *)
      case $path in
${words.map((line) => `    ${line}`).join('\n')}
      esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _understudy understudy
`;
}

/** zsh runs completions of bash. */
function printZsh(program: DescribedCommand): string {
  return `#compdef understudy
# Completion of understudy for zsh: source it, or store it as _understudy in a folder of $fpath.
autoload -U +X bashcompinit && bashcompinit
mapfile() { local line; COMPREPLY=(); while IFS= read -r line; do COMPREPLY+=("$line"); done }
${printBash(program).split('\n').slice(2).join('\n')}`;
}

function printFish(program: DescribedCommand): string {
  const lines = listAll(program).flatMap((command) => {
    const seen = command.path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const below = command.commands.map(({ path }) => path.at(-1) ?? '').join(' ');
    const here = [...seen, ...(below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`])].join('; and ');
    const at = here === '' ? '' : ` -n ${quote(here)}`;
    const commands = command.commands.map(
      ({ path, description }) => `complete -c understudy${at} -f -a ${path.at(-1)} -d ${quote(firstPart(description))}`,
    );
    const options = command.options.map(({ name, description, choices, hasValue }) => {
      const values = choices.length === 0 ? '' : ` -f -a ${quote(choices.join(' '))}`;
      const form = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
      return `complete -c understudy${at} ${form}${hasValue ? ' -r' : ''}${values} -d ${quote(firstPart(description))}`;
    });
    return [...commands, ...options];
  });
  return `# Completion of understudy for fish: store it as ~/.config/fish/completions/understudy.fish.\n${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A description up to its first colon, bracket or semicolon. */
function firstPart(description: string): string {
  return /^[^:;(]*/.exec(description)?.[0].trim() ?? '';
}
