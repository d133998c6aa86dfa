import type { CommandWords } from '../data/commands/cli-commands.ts';
import { printShellWords } from '../data/commands/shell-words.ts';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';

interface CommandLineProps {
  /** Null where no command does the same. */
  readonly words: CommandWords | null;
  /** The place to run it; on the server by default. */
  readonly place?: string;
}

/** The command that does the same, folded until somebody wants it; nothing where there is none. */
export function CommandLine({ words, place }: CommandLineProps) {
  if (words === null) return null;
  const text = printShellWords(words);
  return (
    <details class="command-line">
      <summary>The same on the command line</summary>
      <div class="command-line-text">
        <CodeBlock label="Shell line" text={text} />
        <CopyButton text={text} what="the line for a shell" />
      </div>
      {place !== undefined && <p class="muted">{place}</p>}
    </details>
  );
}
