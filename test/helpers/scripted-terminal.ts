import type { Terminal } from '../../shared/cli/client/terminal.ts';

/** A person who gives these answers, one after the other. */
export class ScriptedTerminal implements Terminal {
  readonly isInteractive: boolean = true;
  readonly questions: string[] = [];
  answers: string[] = [];

  async ask(question: string): Promise<string | null> {
    this.questions.push(question);
    return this.answers.shift() ?? null;
  }

  askSecret(question: string): Promise<string | null> {
    return this.ask(`${question}(hidden)`);
  }

  close(): void {}
}

/** A person who agrees with everything. */
export class ConsentingTerminal extends ScriptedTerminal {
  override async ask(question: string): Promise<string | null> {
    this.questions.push(question);
    return 'y';
  }
}
