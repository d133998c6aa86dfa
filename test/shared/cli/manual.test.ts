import { execFileSync } from 'node:child_process';
import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../functions/program.ts';
import { type DescribedCommand, describeProgram } from '../../../shared/cli/manual/describe-program.ts';
import { examplesOf, listExamples } from '../../../shared/cli/manual/examples.ts';
import { printCompletion } from '../../../shared/cli/manual/print-completion.ts';
import { printManPages } from '../../../shared/cli/manual/print-man-page.ts';

const program = describeProgram(createProgram());
const leaves = (command: DescribedCommand): readonly DescribedCommand[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

describe('each command', () => {
  it('has examples, and no other words have', () => {
    const words = leaves(program).map(({ path }) => path.join(' '));
    expect(words.filter((one) => !listExamples().includes(one))).toEqual([]);
    expect(listExamples().filter((one) => !words.includes(one))).toEqual([]);
  });

  it.each(leaves(program).filter(({ path }) => path[0] !== 'server'))(
    '$path has options of its examples',
    (command) => {
      const known = command.options.flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
      const used = examplesOf(command.path).flatMap(({ call }) =>
        call.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/(?<= )--?[a-z][\w-]*/g),
      );
      expect(used.filter((option) => option !== null && !known.includes(option))).toEqual([]);
    },
  );
});

/** A small program: `tool`, `tool node list --state`, `tool node show`. */
function createTool(): DescribedCommand {
  const tool = new Command('tool').description('a tool');
  const node = tool.command('node').description('look at nodes');
  node
    .command('list')
    .description("list nodes: the operator's view")
    .addOption(new Option('-s, --state <state>', 'only these').choices(['new', 'old']));
  node
    .command('show')
    .description('.show one')
    .addArgument(new Argument('<name>', 'its name'))
    .requiredOption('--data <dir>', 'a folder\\name');
  return describeProgram(tool);
}

describe('completion', () => {
  /** What bash offers for the last word. */
  function complete(...words: readonly string[]): readonly string[] {
    const script = `${printCompletion(program, 'bash')}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _understudy; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', 'understudy', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n');
  }

  it.each([
    [['nod'], ['node']],
    [['node', 'li'], ['list']],
    [
      ['code', 'token', ''],
      ['create', 'list', 'revoke', '--help'],
    ],
    [
      ['node', 'list', '--state', 's'],
      ['stale', 'silent'],
    ],
    [['node', 'list', '--state', 'stale', '--lim'], ['--limit']],
    [['code', 'list', 'production', '--wi'], ['--wide']],
  ])('in bash of %j is %j', (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });

  it('in fish names each command and option where it stands', () => {
    expect(
      printCompletion(createTool(), 'fish')
        .split('\n')
        .filter((line) => !line.includes('-l help')),
    ).toEqual([
      '# Completion of understudy for fish: store it as ~/.config/fish/completions/understudy.fish.',
      "complete -c understudy -n 'not __fish_seen_subcommand_from node' -f -a node -d 'look at nodes'",
      "complete -c understudy -n '__fish_seen_subcommand_from node; and not __fish_seen_subcommand_from list show' -f -a list -d 'list nodes'",
      "complete -c understudy -n '__fish_seen_subcommand_from node; and not __fish_seen_subcommand_from list show' -f -a show -d '.show one'",
      "complete -c understudy -n '__fish_seen_subcommand_from node; and __fish_seen_subcommand_from list' -l state -r -f -a 'new old' -d 'only these'",
      "complete -c understudy -n '__fish_seen_subcommand_from node; and __fish_seen_subcommand_from show' -l data -r -d 'a folder\\\\name'",
      '',
    ]);
  });
});

it('prints a page of the manual for each command, with roff quoted', () => {
  const pages = printManPages(createTool(), '1.2.3');
  expect(pages.map(({ file }) => file)).toEqual(['understudy.1', 'understudy-node.1']);
  expect(pages[1]?.text).toBe(`.TH UNDERSTUDY\\-NODE 1 "" "understudy 1.2.3" "Understudy"
.SH NAME
understudy\\-node \\- look at nodes
.SH NODE LIST
list nodes: the operator's view
.PP
.B understudy node list
[options]
.TP
.B \\-s, \\-\\-state <state>
only these (new, old)
.TP
.B \\-h, \\-\\-help
display help for command
.PP
Example: list the nodes that do not compile
.PP
.RS
.nf
understudy node list \\-\\-state failing
.fi
.RE
.PP
Example: follow the newest catalogs, every five seconds
.PP
.RS
.nf
understudy node list \\-\\-sort catalog:desc \\-\\-limit 20 \\-\\-watch 5
.fi
.RE
.SH NODE SHOW
\\&.show one
.PP
.B understudy node show
<name> [options]
.TP
<name>
its name
.TP
.B \\-\\-data <dir>
a folder\\ename (required)
.TP
.B \\-h, \\-\\-help
display help for command
.PP
Example: print what is known of a node
.PP
.RS
.nf
understudy node show web01.example.com
.fi
.RE
.SH SEE ALSO
.BR understudy (1)
`);
});
